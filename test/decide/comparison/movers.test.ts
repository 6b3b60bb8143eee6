import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareSweeps } from '../../../src/decide/comparison/compare-sweeps.js';
import { moversText } from '../../../src/decide/comparison/movers.js';
import { sweepOf, type Outcomes } from './sample.js';

const NAMES = Array.from('abcdefghij');
const alike = (runs: string): Outcomes => Object.fromEntries(NAMES.map((name) => [name, runs]));

test('names the one of ten configurations that fell, in the gate too', () => {
  const base = { ...alike('pppppppppp') };
  const { verdict, total, gate } = compareSweeps(
    sweepOf('a', base),
    sweepOf('b', { ...base, c: 'pppfffffff' }),
    new Map(),
  );
  expect(verdict).toBe('worse');
  expect(total.difference).toBeCloseTo(-0.07, 12);
  expect(gate).toEqual({
    result: 'worse',
    reasons: ['the pass rate fell mostly in c mock/default (10 of 10 passed before, 3 of 10 now)'],
  });
});

const nameOf = ({ name }: { name: string }): string => name;
const of = (...passed: [number, number][]) =>
  passed.map(([base, head], at) => ({
    name: NAMES[at] ?? '',
    base: { passed: base, tested: 10 },
    head: { passed: head, tested: 10 },
  }));

test.each([
  ['one', of([9, 2]), 'worse', null],
  ['no difference', of([9, 2], [9, 9]), 'no difference shown', null],
  ['the larger of two', of([9, 2], [9, 8]), 'worse', 'fell mostly in a (9 of 10 passed before, 2 of 10 now)'],
  ['two that are alike', of([9, 2], [9, 2]), 'worse', 'fell in 2 of 2 configurations, of which none stands out'],
  ['a rise', of([1, 9], [9, 8], [5, 5]), 'better', 'rose mostly in a (1 of 10 passed before, 9 of 10 now)'],
] as const)('%s is named as it is', (_, all, verdict, text) => {
  expect(moversText([...all], verdict, { nameOf })).toBe(text);
});

test('does not depend on the order of configurations, and exchanging the sides mirrors it', () => {
  const rates = fc.integer({ min: 0, max: 10 });
  fc.assert(
    fc.property(fc.array(fc.tuple(rates, rates), { minLength: 2, maxLength: 10 }), (passed) => {
      const all = of(...passed);
      const text = moversText(all, 'worse', { nameOf });
      const named = (one: string | null) => NAMES.filter((name) => one?.includes(` ${name} (`) === true);
      expect(named(moversText(all.toReversed(), 'worse', { nameOf }))).toEqual(named(text));
      const swapped = all.map(({ name, base, head }) => ({ name, base: head, head: base }));
      expect(named(moversText(swapped, 'better', { nameOf }))).toEqual(named(text));
    }),
  );
});
