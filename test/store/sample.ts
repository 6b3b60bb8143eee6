import { join } from 'node:path';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { newFolder } from '../host/temporary.js';

/** A path for a log of results, in a folder that is removed after the test. */
export const newLog = async (): Promise<string> => join(await newFolder(), 'results.jsonl');

/** The line of a passed run, for tests to change. */
export const resultLine = (changes: Partial<ResultLine> = {}): ResultLine => ({
  schema_version: 1,
  id: 'run-1',
  sweep: 'sweep-1',
  cell: 'cell-1',
  scenario_id: 'scenario',
  scenario_hash: 'abc',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
  duration_secs: 1.5,
  cost_usd: null,
  completed: true,
  gates_passed: 1,
  gates_total: 1,
  judge_score: null,
  outcome: 'pass',
  message: 'all gates passed',
  metrics: null,
  results_dir: changes.id ?? 'run-1',
  cache_key: null,
  cached_from: null,
  regressions: [],
  attempts: 1,
  starts: 1,
  ...changes,
});
