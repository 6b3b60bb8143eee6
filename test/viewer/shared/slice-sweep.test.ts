import { expect, test } from 'vitest';
import type { OpenRunState, SweepState } from '../../../src/viewer/protocol.js';
import { selectionKey, selectionIn } from '../../../src/viewer/shared/select-runs.js';
import { sliceSweep } from '../../../src/viewer/shared/slice-sweep.js';
import { cell, sweep } from '../../model/sample.js';

const SCENARIOS = 50;
const cells = Array.from({ length: 10_000 }, (_, at) =>
  cell({
    id: `cell-${at}`,
    scenario: `scenario-${at % SCENARIOS}`,
    repetition: Math.floor(at / SCENARIOS) + 1,
    outcome: at % 4 === 0 ? 'fail' : 'pass',
  }),
);
const open: OpenRunState[] = [9998, 9999].map((at) => ({
  cell: `cell-${at}`,
  run: `run-${at}`,
  step: 'agent',
  doing: null,
  since: null,
  costUsd: null,
}));
const state: SweepState = {
  document: sweep(cells),
  started: '2026-01-01T00:00:00.000Z',
  why: { 'cell-0': 'a gate' },
  open,
  notes: [],
  tables: [],
  engine: true,
};
const slice = (query: string, limit = 100) => sliceSweep(state, selectionIn(new URLSearchParams(query)), limit);

test('sends the whole matrix of a large sweep, but few of its runs: first what runs, then what failed', () => {
  const { matrix, runs, found, openCount } = slice('');
  expect(matrix).toHaveLength(SCENARIOS);
  expect(matrix[0]).toMatchObject({ passed: 100, tested: 200, text: '100 of 200 passed', looks: [] });
  expect([found, openCount, runs.length]).toEqual([10_000, 2, 100]);
  expect(runs.slice(0, 4).map(({ id }) => id)).toEqual(['cell-9998', 'cell-9999', 'cell-0', 'cell-4']);
  expect(runs[2]?.why).toBe('a gate');
  expect(JSON.stringify(slice('')).length).toBeLessThan(JSON.stringify(state).length / 20);
});

test('sends the runs of a cell of the matrix, which stays whole', () => {
  const at = selectionKey(cell({ scenario: 'scenario-1' }));
  const { matrix, runs, found, choices, open: shown } = slice(new URLSearchParams({ at }).toString(), 7);
  expect([matrix.length, found, runs.length]).toEqual([SCENARIOS, 200, 7]);
  expect(new Set(runs.map(({ scenario }) => scenario))).toEqual(new Set(['scenario-1']));
  expect(choices.scenarios).toHaveLength(SCENARIOS);
  expect(shown).toEqual([]);
});

test('draws few repetitions one by one, and narrows the matrix by the other filters', () => {
  const { matrix, found } = slice('outcome=fail&text=cell-0');
  expect(matrix).toMatchObject([{ passed: 0, tested: 1, looks: ['fail'] }]);
  expect(found).toBe(1);
});
