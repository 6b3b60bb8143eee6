import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.js';
import type { Comparison } from '../../src/decide/comparison/document.js';
import type { CellResult } from '../../src/decide/decision/paired-cells.js';
import { decide } from '../../src/decide/decision/decide.js';
import type { UntilClear } from '../../src/decide/decision/until-clear.js';
import type { Cell } from '../../src/model/records/cell.js';
import type { Interval } from '../../src/statistics/counts.js';
import { testEach } from '../../src/statistics/test-each.js';
import { testFamily } from '../../src/statistics/test-family.js';
import { anyStrata, swapped } from '../statistics/arbitrary.js';
import { sweepOf } from './comparison/sample.js';

const alpha = 0.05;
const OPPOSITE: Record<string, string> = { better: 'worse', worse: 'better' };
const opposite = (verdict: string): string => OPPOSITE[verdict] ?? verdict;

interface Found {
  verdict: string;
  difference: number | null;
  interval: Interval | null;
  p?: number | null;
  adjusted_p?: number | null;
}

/** Expects that these are the same findings with the sides exchanged. */
function expectMirrored(one: Found, other: Found): void {
  expect(other.verdict).toBe(opposite(one.verdict));
  for (const name of ['p', 'adjusted_p'] as const) expectClose(other[name], one[name]);
  expectClose(other.difference, negative(one.difference));
  expectClose(other.interval?.low, negative(one.interval?.high));
  expectClose(other.interval?.high, negative(one.interval?.low));
}

const negative = (value: number | null | undefined): number | null => (value == null ? null : -value);

function expectClose(one: number | null | undefined, other: number | null | undefined): void {
  if (other == null) expect(one ?? null).toBeNull();
  else expect(one).toBeCloseTo(other, 7);
}

test('each of several configurations, and each of several families, mirrors its finding with the sides exchanged', () => {
  fc.assert(
    fc.property(anyStrata(4, 14), anyStrata(3, 9), (some, others) => {
      const tests = [some, others].map((strata) => testEach(strata, { alpha }));
      for (const [at, strata] of [some, others].entries())
        for (const [index, other] of testEach(swapped(strata), { alpha }).entries())
          expectMirrored(tests[at]?.[index] ?? other, other);
      const family = testFamily([some, others], { alpha });
      for (const [at, other] of testFamily([swapped(some), swapped(others)], { alpha }).entries())
        expectMirrored(family[at] ?? other, other);
    }),
    { numRuns: 60 },
  );
});

const outcomes = fc.string({ unit: fc.constantFrom('p', 'p', 'f', 'f', 'e'), minLength: 1, maxLength: 9 });
const side = fc.record({ x: outcomes, y: outcomes, seed: fc.nat(1000) });

test('a comparison of sweeps mirrors every verdict, interval and p with the sweeps exchanged, costs and margins included', () => {
  fc.assert(
    fc.property(side, side, (one, other) => {
      const sweep = (name: string, { seed, ...of }: typeof one) =>
        sweepOf(name, of, (_, n) => ({ cost_usd: ((seed * n * 7919) % 97) + 1 }));
      const options = { alpha, margin: 0.3 };
      const [a, b] = [sweep('a', one), sweep('b', other)];
      const forth = compareSweeps(a, b, new Map(), options);
      const back = compareSweeps(b, a, new Map(), options);
      expectMirrored({ ...forth.total, verdict: forth.verdict }, { ...back.total, verdict: back.verdict });
      expect(back.total.equivalent).toBe(forth.total.equivalent);
      expect(back.total.needed).toEqual(forth.total.needed);
      for (const [at, found] of forth.configurations.entries()) {
        expectMirrored(found, back.configurations[at] ?? found);
        expect(back.configurations[at]?.robust).toBe(found.robust);
      }
      const cost = ({ total }: Comparison) => total.measures.find(({ name }) => name === 'cost_usd')?.effect;
      expectClose(cost(back)?.p, cost(forth)?.p);
      if (cost(forth) != null) expectClose(cost(back)?.value, 1 / (cost(forth)?.value ?? NaN));
    }),
    { numRuns: 60 },
  );
});

const PAIRS = 8;
const cells = ['s0', 's1'].flatMap((scenario) =>
  ['base', 'head'].flatMap((variant) =>
    Array.from({ length: PAIRS }, (_, at): Cell => ({
      id: `${scenario}/${variant}/${at + 1}`,
      scenario,
      agent: 'a',
      model: 'm',
      variant,
      repetition: at + 1,
    })),
  ),
);
const result = fc.record({
  outcome: fc.constantFrom('pass' as const, 'pass' as const, 'fail' as const, 'fail' as const, 'error' as const),
  redone: fc.constantFrom(0, 0, 0, 1),
});

test.each([1, 2])(
  'a sweep of %d scenarios until its verdict is clear mirrors its decision, errors included',
  (scenarios) => {
    const some = cells.filter(({ scenario }) => scenario < `s${scenarios}`);
    const plan: UntilClear = {
      base: { kind: 'variant', variant: 'base' },
      margin: null,
      alpha: 0.2,
      most_runs: PAIRS,
      round_size: scenarios,
    };
    const anyResults = fc.array(result, { minLength: some.length, maxLength: some.length });
    fc.assert(
      fc.property(anyResults, (drawn) => {
        const results = new Map(
          some.map(({ id }, at): [string, CellResult] => {
            const { outcome = 'error', redone = 0 } = drawn[at] ?? {};
            return [id, { outcome, cost_usd: null, errors: outcome === 'error' ? 3 : redone }];
          }),
        );
        const exchanged = new Map(
          [...results].map(([id, one]) => [
            id.replace(/base|head/, (variant) => (variant === 'base' ? 'head' : 'base')),
            one,
          ]),
        );
        const one = decide(some, plan, results, 'completed').decision;
        const other = decide(some, plan, exchanged, 'completed').decision;
        expectMirrored(one, other);
        expect([other.rounds, other.runs, other.stopped]).toEqual([one.rounds, one.runs, one.stopped]);
        expectClose(other.spent_alpha, one.spent_alpha);
      }),
      { numRuns: 80 },
    );
  },
);
