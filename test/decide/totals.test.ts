import { expect, test } from 'vitest';
import { testedOf } from '../../src/decide/is-tested.js';
import { paidCost, resultsByCell, totalsOf, unfinishedCells } from '../../src/decide/totals.js';
import { resultLine } from '../store/sample.js';

const paid = { outcome: 'pass', cached: false, cost_usd: 0.1 } as const;
const waiting = { outcome: null, cached: false, cost_usd: null };

test('counts cells by outcome; cells without one are waiting', () => {
  const totals = totalsOf([paid, { ...paid, outcome: 'fail' }, { ...paid, cached: true }, waiting], 5);
  expect(totals).toEqual({ cells: 5, passed: 2, failed: 1, errored: 0, cancelled: 0, cached: 1 });
  expect(unfinishedCells(totals)).toBe(2);
});

test('runs in which nothing was checked are counted, and are in no rate', () => {
  const unchecked = { ...paid, unchecked: true } as const;
  const totals = totalsOf([paid, unchecked, { ...unchecked, outcome: 'fail' }, { ...paid, outcome: 'error' }]);
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

test('runs that were replaced, and those that were lost with their hosts, are counted with what they cost', () => {
  const [a, b] = ['a', 'b'].map((cell) => resultLine({ id: `${cell}-1`, cell, cost_usd: 0.1 }));
  const lines = [
    { ...a, outcome: 'error', lost_runs: 1 } as const,
    { ...a, id: 'a-2', cost_usd: 0.2, lost_runs: 2 },
    { ...b },
  ].map((line) => resultLine(line));
  const byCell = resultsByCell(lines);
  const cells = [...byCell.values()].map(({ line, earlier_runs }) => ({
    outcome: line.outcome,
    cached: false,
    cost_usd: line.cost_usd,
    ...(earlier_runs === undefined ? {} : { earlier_runs }),
  }));
  expect(byCell.get('a')?.earlier_runs).toEqual({ runs: 4, lost: 3, cost_usd: 0.1, cost_unknown: 3 });
  expect(byCell.get('b')?.earlier_runs).toBeUndefined();
  expect(paidCost(cells)).toEqual({ usd: 0.4, unknown: 3 });
});
