import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { planRetry } from '../../src/client/retry-sweep.js';
import type { Outcome } from '../../src/model/records/run-facts.js';
import { Plan } from '../../src/scenario/plan.js';
import { resultsLog } from '../../src/store/results-folder.js';
import { newFolder } from '../host/temporary.js';
import { resultLine } from '../store/sample.js';

const CELLS = ['a', 'b', 'c', 'd', 'e'].map((id, at) => ({
  id,
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: at + 1,
}));

/** Plans the retry of a sweep of five cells, of which the first ones have these outcomes. */
async function retryAfter(outcomes: Outcome[], more: object = {}) {
  const results = await newFolder();
  const log = resultsLog(results);
  mkdirSync(dirname(log), { recursive: true });
  for (const [at, outcome] of outcomes.entries())
    appendFileSync(
      log,
      `${JSON.stringify(resultLine({ id: `run-${at}`, sweep: 's', cell: CELLS[at]?.id ?? '', outcome, repetition: at + 1 }))}\n`,
    );
  const plan = Plan.parse({
    schema_version: 1,
    sweep: 's',
    created_at: '2026-01-01T00:00:00.000Z',
    concurrency: 1,
    scenarios: [],
    agents: {},
    cells: CELLS,
    providers: {},
    cache: true,
    max_usd: null,
    prices: {},
    caps: { agents: {}, models: {} },
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    ...more,
  });
  const { cells } = await planRetry(results, plan, { failed: false, cells: [] }, () => undefined);
  return cells.map(({ id }) => id);
}

test('cells that could not be tested run again, and those that never ran', async () => {
  expect(await retryAfter(['pass', 'error', 'cancelled'])).toEqual(['b', 'c', 'd', 'e']);
});

test('of a sweep that runs until its verdict is clear, cells that were not needed are not counted', async () => {
  const until_clear = {
    base: { kind: 'sweep', sweep: 'before', outcomes: [] },
    margin: null,
    alpha: 0.05,
    most_runs: 5,
    round_size: 1,
  };
  expect(await retryAfter(['pass', 'error', 'cancelled'], { until_clear })).toEqual(['b', 'c']);
});
