import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import { spentBefore } from '../../../src/decide/comparison/looks.js';
import type { SideInputs, Start } from '../../../src/decide/decision/question.js';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { resultLine } from '../../store/sample.js';
import { sweepOf } from './sample.js';

const ALPHA = 0.05;

const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

/** Runs of an ordinary sweep of one side. */
const runs = (sweep: string, on: number, tested: number): ResultLine[] =>
  Array.from({ length: tested }, (_, at) => resultLine({ id: `${sweep}-${at}`, sweep, timestamp: day(on) }));

const inputs = (scenario_hash: string): SideInputs => ({
  ...{ scenario_hash, agent: 'mock', model: 'default', settings: null, target: null },
});

const start = (sweep: string, on: number, alpha: number): Start => ({
  ...{ sweep, at: day(on), alpha, base: null },
  pairs: [{ base: inputs('bare'), head: inputs('guided') }],
});

describe('what is left for a start of run --until-clear', () => {
  test('all of alpha, if nobody has asked before', () => {
    expect(spentBefore([{ base: runs('a', 1, 20), head: [] }], [], ALPHA)).toEqual({ spent: 0, left: ALPHA, by: [] });
    expect(spentBefore([], [], ALPHA)).toEqual({ spent: 0, left: ALPHA, by: [] });
  });

  test('what a comparison that could show something may have left', () => {
    const once = { base: runs('a', 1, 5), head: runs('b', 2, 5) };
    expect(spentBefore([once], [], ALPHA)).toEqual({ spent: 0.04, left: 0.01364, by: ['b'] });
    const anew = { base: once.base, head: [...once.head, ...runs('c', 3, 5)] };
    expect(spentBefore([anew], [], ALPHA)).toEqual({ spent: 0.045, left: 0.009091, by: ['b', 'c'] });
    const few = { base: runs('a', 1, 2), head: runs('b', 2, 2) };
    expect(spentBefore([few], [], ALPHA)).toMatchObject({ spent: 0, by: [] });
  });

  test('what earlier starts have left, whether or not they have used what they took', () => {
    const first = start('first', 1, ALPHA);
    expect(spentBefore([], [first], ALPHA)).toEqual({ spent: 0.05, left: 0.004545, by: ['first'] });
    const second = start('second', 2, 0.004545);
    expect(spentBefore([], [first, second], ALPHA)).toMatchObject({ left: 0.0004136, by: ['first', 'second'] });
  });

  test('never more than 1.1 times alpha is spent, and never less than before', () => {
    const step = fc.record({
      kind: fc.constantFrom('base', 'head', 'both', 'start'),
      tested: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 7 }), (steps) => {
        const sides = { base: [] as ResultLine[], head: [] as ResultLine[] };
        const starts: Start[] = [];
        let before = 0;
        for (const [at, { kind, tested }] of steps.entries()) {
          const { left, spent } = spentBefore([sides], starts, ALPHA);
          if (kind === 'start') starts.push(start(`s${at}`, at + 1, spent === 0 ? ALPHA : left));
          if (kind === 'base' || kind === 'both') sides.base.push(...runs(`o${at}`, at + 1, tested));
          if (kind === 'head' || kind === 'both')
            sides.head.push(...runs(`o${at}`, at + 1, tested).map((line) => ({ ...line, id: `${line.id} head` })));
          const now = spentBefore([sides], starts, ALPHA).spent;
          expect(now).toBeLessThanOrEqual(1.1 * ALPHA * (1 + 1e-3));
          expect(now).toBeGreaterThanOrEqual(before * (1 - 1e-3));
          before = now;
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('compare after a start of run --until-clear', () => {
  const side = (sweep: string, hash: string, on: number, letters: string, starts: Start[]): SweepToCompare =>
    sweepOf(sweep, { notes: letters }, () => ({ scenario_hash: hash, timestamp: day(on) }), { starts });
  const compare = (starts: Start[], passes = 'pppff') =>
    compareSweeps(side('a', 'bare', 5, 'pppff', starts), side('b', 'guided', 6, passes, starts), new Map());

  test('has most of what that left', () => {
    expect(compare([])).toMatchObject({ alpha: 0.04, next_start_alpha: 0.01364 });
    const after = compare([start('first', 1, ALPHA)]);
    expect(after.alpha).toBeCloseTo(0.8 * 0.004545, 5);
    expect(after.look?.spent).toBeCloseTo(0.05 + 0.8 * 0.004545, 4);
    expect(after.next_start_alpha).toBeCloseTo(0.2 * 0.00454 + (0.8 * 0.00454) / 11, 4);
  });

  test('its verdict does not change when a start follows, but what is left for the next does', () => {
    const [before, after] = [compare([]), compare([start('later', 9, 0.01364)])];
    for (const of of ['alpha', 'verdict', 'look', 'gate', 'configurations'] as const)
      expect(after[of]).toEqual(before[of]);
    expect(after.total.needed?.alpha).toBeLessThan(before.total.needed?.alpha ?? 0);
    expect(after.next_start_alpha).toBeCloseTo(0.01364 / 11, 5);
  });

  test('a start with other inputs takes nothing', () => {
    const other = { ...start('other', 1, ALPHA), pairs: [{ base: inputs('bare'), head: inputs('another') }] };
    expect(compare([other])).toMatchObject({ alpha: 0.04, next_start_alpha: 0.01364 });
  });
});
