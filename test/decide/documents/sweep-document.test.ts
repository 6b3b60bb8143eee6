import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { buildSweepDocument, SweepDocument } from '../../../src/decide/documents/sweep-document.js';
import { metrics } from '../../model/sample.js';

const planned = (id: string) => ({
  id,
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
});
const line = (cell: string, change: Partial<ResultLine> = {}): ResultLine => ({
  schema_version: 1,
  id: `run-of-${cell}`,
  sweep: 's1',
  cell,
  scenario_id: 'notes',
  scenario_hash: 'abc',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  timestamp: '2026-01-02T03:04:05.000Z',
  duration_secs: 2,
  cost_usd: null,
  completed: true,
  gates_passed: 1,
  gates_total: 1,
  judge_score: null,
  outcome: 'pass',
  message: '1/1 gates passed',
  metrics: null,
  results_dir: `runs/${cell}`,
  cache_key: null,
  cached_from: null,
  regressions: [],
  attempts: 1,
  starts: 1,
  ...change,
});
const build = (
  cells: ReturnType<typeof planned>[],
  results: ResultLine[],
  status: SweepDocument['status'] = 'completed',
) =>
  buildSweepDocument({
    sweep: 's1',
    workflowId: 'sweep/s1',
    uiUrl: null,
    maxUsd: null,
    status,
    cells,
    results,
    resultsPath: '/r',
  });

describe('buildSweepDocument', () => {
  test('what replaced runs of a cell cost was paid, too, and a result that was published twice only once', () => {
    const first = line('a', { id: '1', outcome: 'error', cost_usd: 0.25 });
    const results = [
      ...[first, first, line('b', { cost_usd: 1 })],
      line('a', { id: '2', outcome: 'error', cost_usd: null, cost_usd_at_least: 0.5 }),
      line('a', { id: '3', outcome: 'pass', cost_usd: 2 }),
      line('a', { id: '3', outcome: 'pass', cost_usd: 2 }),
    ];
    const { cells, cost_usd } = build([planned('a'), planned('b')], results);
    expect(cells).toMatchObject([
      { outcome: 'pass', cost_usd: 2, earlier_runs: { runs: 2, cost_usd: 0.75, cost_unknown: 1 } },
      { outcome: 'pass', cost_usd: 1 },
    ]);
    expect(cells[1]).not.toHaveProperty('earlier_runs');
    expect(cost_usd).toBe(3.75);
  });

  test('gives a finished cell its result and an absolute folder', () => {
    const [cell] = build([planned('a')], [line('a', { metrics: metrics({ composite_score: 0.8 }) })]).cells;
    expect(cell).toMatchObject({
      outcome: 'pass',
      gates_passed: 1,
      attempts: 1,
      starts: 1,
      composite_score: 0.8,
      results_dir: '/r/runs/a',
    });
  });
  test('leaves everything null that is unknown for an unfinished cell', () => {
    const { id, scenario, agent, model, variant, repetition, cached, regressions, ...rest } =
      build([planned('a')], [], 'running').cells[0] ?? {};
    expect(regressions).toEqual([]);
    expect({ id, scenario, agent, model, variant, repetition, cached }).toMatchObject({
      id: 'a',
      repetition: 1,
      cached: false,
    });
    expect(Object.keys(rest)).toHaveLength(11);
    expect(Object.values(rest)).toEqual(Object.values(rest).map(() => null));
  });
  test('takes the last line of a cell', () => {
    expect(build([planned('a')], [line('a', { outcome: 'fail' }), line('a')]).cells[0]?.outcome).toBe('pass');
  });
  test('ignores lines of other sweeps', () => {
    expect(build([planned('a')], [line('a', { sweep: 's0' })]).cells[0]?.outcome).toBeNull();
  });
  test('shows a reused result as cached', () => {
    const document = build([planned('a')], [line('a', { cached_from: 'old' })]);
    expect(document.cells[0]).toMatchObject({ outcome: 'pass', cached: true });
    expect(document.totals.cached).toBe(1);
  });
  test('replaces a cached result by that of a retry', () => {
    const document = build([planned('a')], [line('a', { cached_from: 'old' }), line('a', { outcome: 'fail' })]);
    expect(document.cells[0]).toMatchObject({ outcome: 'fail', cached: false });
  });
  test('always matches its own strict schema, with totals that add up', () => {
    const outcome = fc.constantFrom('pass', 'fail', 'error', 'cancelled');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 9 }), outcome)), fc.nat({ max: 9 }), (finished, count) => {
        const cells = Array.from({ length: count }, (_, at) => planned(String(at)));
        const document = build(
          cells,
          finished.map(([at, found]) => line(String(at), { outcome: found })),
        );
        expect(SweepDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
        const { passed, failed, errored, cancelled } = document.totals;
        expect(passed + failed + errored + cancelled).toBe(
          document.cells.filter((cell) => cell.outcome !== null).length,
        );
      }),
    );
  });
});
