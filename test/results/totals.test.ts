import { expect, test } from 'vitest';
import { testedOf } from '../../src/results/is-tested.js';
import { paidCost, totalsOf, unfinishedCells } from '../../src/results/totals.js';

const paid = { outcome: 'pass', cached: false, cost_usd: 0.1 } as const;
const waiting = { outcome: null, cached: false, cost_usd: null };

test('counts cells by outcome; cells without one are waiting', () => {
  const totals = totalsOf([paid, { ...paid, outcome: 'fail' }, { ...paid, cached: true }, waiting], 5);
  expect(totals).toEqual({ cells: 5, passed: 2, failed: 1, errored: 0, cancelled: 0, cached: 1 });
  expect(unfinishedCells(totals)).toBe(2);
});

test('runs in which nothing was checked are counted, and are in no rate', () => {
  const unchecked = { ...paid, unchecked: true } as const;
  const totals = totalsOf([
    paid,
    unchecked,
    { ...unchecked, outcome: 'fail' },
    { ...paid, outcome: 'error' },
  ]);
  expect(totals).toMatchObject({ cells: 4, passed: 2, failed: 1, unchecked: { passed: 1, failed: 1 } });
  expect(testedOf(totals)).toEqual({ passed: 1, tested: 1 });
});

test('reused and waiting cells cost nothing, and unknown costs are counted separately', () => {
  expect(paidCost([])).toEqual({ usd: null, unknown: 0 });
  expect(paidCost([waiting, { ...paid, cached: true }])).toEqual({ usd: null, unknown: 0 });
  expect(paidCost([{ ...paid, cost_usd: null }])).toEqual({ usd: null, unknown: 1 });
  expect(paidCost([paid, { ...paid, cost_usd: 0.2 }, { ...paid, cost_usd: null }])).toEqual({
    usd: 0.3,
    unknown: 1,
  });
});
