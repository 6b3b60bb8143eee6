import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endedCells } from '../../../src/decide/decision/paired-cells.js';
import type { Outcome } from '../../../src/model/records/run-facts.js';
import { resultLine } from '../../store/sample.js';

const line = (cell: string, nth: number, outcome: Outcome, more = {}) =>
  resultLine({ cell, id: `${cell}-${nth}`, timestamp: `2026-01-01T00:00:0${nth}.000Z`, outcome, ...more });

test('counts the errors of a cell, and the first run that passed or failed', () => {
  const lines = [
    line('a', 1, 'error'),
    line('a', 2, 'error'),
    line('a', 3, 'fail'),
    line('a', 4, 'pass'),
    line('b', 1, 'error'),
  ];
  expect(Object.fromEntries(endedCells(lines))).toEqual({
    a: { outcome: 'fail', cost_usd: null, errors: 2 },
    b: { outcome: 'error', cost_usd: null, errors: 1 },
  });
});

test('counts a line that was written twice once, and no cell that was not started', () => {
  const lines = [line('a', 1, 'error'), line('a', 1, 'error'), line('b', 1, 'error', { results_dir: null, starts: 0 })];
  expect(Object.fromEntries(endedCells(lines))).toEqual({
    a: { outcome: 'error', cost_usd: null, errors: 1 },
  });
});

test('counts what else hides an outcome: cancelled runs, those lost with their hosts, and work that was thrown away', () => {
  const lines = [
    line('a', 1, 'cancelled'),
    line('a', 2, 'pass', { lost_runs: 1, begun_anew: 2 }),
    line('b', 1, 'pass'),
  ];
  expect(Object.fromEntries(endedCells(lines))).toEqual({
    a: { outcome: 'pass', cost_usd: null, errors: 4 },
    b: { outcome: 'pass', cost_usd: null, errors: 0 },
  });
});

test('counts runs of the same cell that left no result each time', () => {
  const lost = (nth: number) => line('a', nth, 'error', { id: 's/a', results_dir: null, starts: null });
  expect(endedCells([lost(1), lost(2)]).get('a')?.errors).toBe(2);
});

test('does not depend on the order in which runs of different cells have ended', () => {
  const outcomes = fc.array(fc.constantFrom<Outcome>('pass', 'fail', 'error', 'cancelled'), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(outcomes, { maxLength: 5 }), fc.infiniteStream(fc.nat(9)), (cells, picks) => {
      const lists = cells.map((of, cell) => of.map((outcome, nth) => line(`c${cell}`, nth, outcome)));
      const left = lists.map((list) => [...list]);
      const mixed = [];
      while (left.some(({ length }) => length > 0)) {
        const filled = left.filter(({ length }) => length > 0);
        mixed.push(...(filled[(picks.next().value as number) % filled.length]?.splice(0, 1) ?? []));
      }
      expect(endedCells(mixed)).toEqual(endedCells(lists.flat()));
    }),
  );
});
