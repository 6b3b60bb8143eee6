import { expect, test } from 'vitest';
import type { OpenRunState, SweepState } from '../../../src/viewer/protocol.js';
import { selectionKey } from '../../../src/viewer/shared/configuration.js';
import { cellKey } from '../../../src/viewer/shared/counterparts.js';
import { selectionIn } from '../../../src/viewer/shared/selection.js';
import { runTable, sliceSweep } from '../../../src/viewer/shared/slice-sweep.js';
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
  failed: { 'cell-0': ['file_exists', 'notes.md exists'] },
  others: ['before'],
  open,
  notes: [],
  tables: [],
  engine: true,
};
const TABLE = runTable(state);
const BEFORE = new Map([[cellKey({ ...cell({ scenario: 'scenario-1' }), repetition: 1 }), 'fail']]);
const slice = (query: string, limit = 100, from = 0) =>
  sliceSweep(
    state,
    TABLE,
    selectionIn(new URLSearchParams(query)),
    { from, limit },
    { endOf: ({ id }) => (id === 'cell-4' ? 'I am done.' : null), outcomesOf: () => BEFORE },
  );

test('sends the whole matrix of a large sweep, but few of its runs: first what runs, then what failed', () => {
  const { matrix, runs, found, openCount } = slice('');
  expect(matrix).toHaveLength(SCENARIOS);
  expect(matrix[0]).toMatchObject({ passed: 100, tested: 200, text: '100 of 200 passed', looks: [] });
  expect([found, openCount, runs.length]).toEqual([10_000, 2, 100]);
  expect(runs.slice(0, 4).map(({ id }) => id)).toEqual(['cell-9998', 'cell-9999', 'cell-0', 'cell-4']);
  expect(runs.slice(2, 4)).toMatchObject([
    { why: 'a gate', failed: ['file_exists', 'notes.md exists'] },
    { end: 'I am done.' },
  ]);
  expect(JSON.stringify(slice('')).length).toBeLessThan(JSON.stringify(state).length / 20);
});

test('sends the runs of a cell of the matrix, which stays whole', () => {
  const at = selectionKey(cell({ scenario: 'scenario-1' }));
  const { matrix, runs, found, choices, open: shown } = slice(new URLSearchParams({ at }).toString(), 7);
  expect([matrix.length, found, runs.length]).toEqual([SCENARIOS, 200, 7]);
  expect(new Set(runs.map(({ scenario }) => scenario))).toEqual(new Set(['scenario-1']));
  expect(choices['scenario']).toHaveLength(SCENARIOS);
  expect(shown).toEqual([]);
});

test('draws few repetitions one by one, and narrows the matrix by the other filters', () => {
  const { matrix, found } = slice('filter=outcome:fail cell-0');
  expect(matrix).toMatchObject([{ passed: 0, tested: 1, looks: ['fail'] }]);
  expect(found).toBe(1);
});

test('sends any part of the table, sorted and filtered as asked', () => {
  const { runs, from, found, columns } = slice('filter=outcome:pass&sort=-repetition', 3, 2);
  expect([from, found]).toEqual([2, 7498]); // two that have passed before run again
  expect(runs.map(({ repetition }) => repetition)).toEqual([200, 200, 200]);
  expect(columns).toEqual(expect.arrayContaining(['scenario', 'gate', 'reason']));
  expect(columns).not.toContain('version');
});

test('selects nothing, and says why, if the filter cannot be read', () => {
  expect(slice('filter=outcom:fail')).toMatchObject({
    ...{ found: 0, runs: [], matrix: [], figures: [] },
    problem: expect.stringContaining("there is no field 'outcom'") as unknown,
  });
});

test('shows what differs from another sweep, and what it could be compared with', () => {
  const { against, runs, found } = slice('against=sweep:before');
  expect(against).toEqual(['sweep:before']);
  expect([found, runs.map(({ id, look, other }) => [id, look, other])]).toEqual([1, [['cell-1', 'pass', 'fail']]]);
  for (const unknown of ['agent:nobody', 'nonsense', 'toString:x']) expect(slice(`against=${unknown}`).found).toBe(0);
});

test('sums up the selected runs by configuration', () => {
  const { figures } = slice('filter=scenario:scenario-0');
  expect(figures).toMatchObject([{ passed: 100, tested: 200, cost: { count: 200 } }]);
  expect(figures[0]?.interval?.low).toBeCloseTo(0.431, 3);
});
