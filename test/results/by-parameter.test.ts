import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byParameter, ParameterResults } from '../../src/results/by-parameter.js';

const cell = (
  variant: string,
  outcome: 'pass' | 'fail' | 'error' | 'cancelled' | null,
  secs: number,
  usd: number | null,
) => ({
  ...{ scenario: 's', variant, outcome, duration_secs: secs, cost_usd: usd },
});

describe('results by parameter', () => {
  test('count and average the cells that share a value, whatever their other values are', () => {
    const scenarios = [
      { name: 's', variant: 'a', parameters: { x: 1, y: 'p' } },
      { name: 's', variant: 'b', parameters: { x: 1, y: 'q' } },
      { name: 's', variant: 'c', parameters: { x: [2], y: 'p' } },
    ];
    const cells = [
      cell('a', 'pass', 1, 0.5),
      cell('b', 'fail', 2, null),
      cell('b', 'error', 100, 9),
      cell('c', 'pass', 6, 0.1),
      cell('c', null, 0, null),
    ];
    expect(byParameter(scenarios, cells)).toEqual([
      {
        ...{ parameter: 'x', value: 1, cells: 3, tested: 2, passed: 1, success_rate: 0.5 },
        ...{ mean_duration_secs: 1.5, median_duration_secs: 1.5, mean_cost_usd: 0.5 },
      },
      {
        ...{ parameter: 'x', value: [2], cells: 2, tested: 1, passed: 1, success_rate: 1 },
        ...{ mean_duration_secs: 6, median_duration_secs: 6, mean_cost_usd: 0.1 },
      },
      {
        ...{ parameter: 'y', value: 'p', cells: 3, tested: 2, passed: 2, success_rate: 1 },
        ...{ mean_duration_secs: 3.5, median_duration_secs: 3.5, mean_cost_usd: 0.3 },
      },
      {
        ...{ parameter: 'y', value: 'q', cells: 2, tested: 1, passed: 0, success_rate: 0 },
        ...{ mean_duration_secs: 2, median_duration_secs: 2, mean_cost_usd: null },
      },
    ]);
  });
  test('of a parameter contain every cell of its variants exactly once', () => {
    const outcome = fc.constantFrom(
      'pass' as const,
      'fail' as const,
      'error' as const,
      'cancelled' as const,
      null,
    );
    const anyCells = fc.array(fc.tuple(fc.nat(3), outcome, fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }), anyCells, (values, runs) => {
        const scenarios = values.map((x, index) => ({ name: 's', variant: `v${index}`, parameters: { x } }));
        const found = byParameter(
          scenarios,
          runs.map(([nth, one, secs]) => cell(`v${nth}`, one, secs, null)),
        );
        for (const one of found) expect(ParameterResults.parse(one)).toEqual(one);
        expect(found.reduce((sum, { cells }) => sum + cells, 0)).toBe(runs.length);
        expect(found.reduce((sum, { passed }) => sum + passed, 0)).toBe(
          runs.filter(([, one]) => one === 'pass').length,
        );
      }),
    );
  });
  test('are empty for variants that are no combinations', () => {
    expect(byParameter([{ name: 's', variant: 'a' }], [cell('a', 'pass', 1, null)])).toEqual([]);
  });
});
