import type { Judgment } from '../../src/model/records/judgment.js';
import type { CommandRecord, RunRecord } from '../../src/model/records/run-record.js';
import type { GateDetail, Metrics } from '../../src/model/records/result-line.js';
import type { SweepCell, SweepDocument } from '../../src/decide/documents/sweep-document.js';

/** Records of a successful run, for tests to change. */
export const command = (change: Partial<CommandRecord> = {}): CommandRecord => ({
  command: 'notes init',
  exit_code: 0,
  timed_out: false,
  duration_ms: 40,
  stdout: '',
  stderr: '',
  ...change,
});

export const gate = (change: Partial<GateDetail> = {}): GateDetail => ({
  index: 0,
  gate_type: 'file_exists',
  name: null,
  subject: '',
  status: 'pass',
  passed: change.status === undefined || change.status === 'pass',
  message: 'notes.md exists',
  detail: null,
  duration_ms: 3,
  ...change,
});

export const judgment = (change: Partial<Judgment> = {}): Judgment => ({
  model: 'house/small',
  model_used: 'small-2026',
  scores: { clarity: 0.5, right: 1 },
  weighted_score: 0.78,
  votes: [0.78],
  spread: null,
  confidence: 0.9,
  issues: ['too long'],
  highlights: [],
  fields: {},
  pass_threshold: 0.7,
  passed: true,
  usage: { input: 900, output: 80, reasoning: null, cache_read: null, cache_write: null },
  cost_usd: null,
  attempts: 1,
  ...change,
});

export const run = (change: Partial<RunRecord> = {}): RunRecord => ({
  schema_version: 1,
  run_id: 'run-1',
  sweep: 's1',
  cell: 'notes/mock/default/default/1',
  workflow_id: 'sweep/s1/notes/mock/default/default/1/r1',
  scenario: {
    name: 'notes',
    description: 'Writes a note.',
    file: 'fixtures/notes.yaml',
    hash: 'abc123',
    tier: 1,
    tags: ['smoke'],
    prompt: 'Write a note.',
  },
  target: { binary: 'notes', resolved: '/usr/bin/notes', fingerprint: null, health_check: null },
  agent_name: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  environment: 'local',
  sandboxed: false,
  started_at: '2026-01-02T03:04:05.000Z',
  ended_at: '2026-01-02T03:04:09.200Z',
  duration_secs: 4.2,
  outcome: 'pass',
  message: '1/1 gates passed',
  starts: 1,
  agent: {
    ending: 'done',
    completed: true,
    exit_code: 0,
    message: 'agent completed',
    version: '1.2.3',
    containment: 'pidns',
    login: false,
    session_id: null,
    model_used: 'default',
    duration_ms: 3000,
    starts: 1,
    output_bytes: 99,
    token_usage: { input: null, output: 7, reasoning: null, cache_read: null, cache_write: null },
    cost_usd: null,
    cost_source: null,
    history: [],
  },
  judge: null,
  setup: [],
  context: [],
  post_scripts: [],
  steps: [{ name: 'runAgent', status: 'done', duration_ms: 3000, attempts: 1, note: null }],
  warnings: [],
  regressions: [],
  ...change,
});

export const metrics = (change: Partial<Metrics> = {}): Metrics => ({
  schema_version: 1,
  run_id: 'run-1',
  outcome: 'pass',
  completed: true,
  gates_passed: 1,
  gates_total: 1,
  details: [gate()],
  agent_work: null,
  efficiency: null,
  judge: null,
  evaluator_results: [],
  ...change,
});

export const cell = (change: Partial<SweepCell> = {}): SweepCell => ({
  id: 'notes/mock/default/default/1',
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  outcome: 'pass',
  message: '1/1 gates passed',
  gates_passed: 1,
  gates_total: 1,
  judge_score: null,
  composite_score: null,
  cost_usd: 0.5,
  duration_secs: 2.1,
  attempts: 1,
  starts: 1,
  regressions: [],
  cached: false,
  results_dir: '/results/20260102-030405-mock-default-notes-1',
  ...change,
});

export function sweep(cells: SweepCell[], change: Partial<SweepDocument> = {}): SweepDocument {
  const having = (outcome: string): number => cells.filter((one) => one.outcome === outcome).length;
  return {
    schema_version: 1,
    sweep: 's1',
    workflow_id: 'sweep/s1',
    ui_url: 'http://localhost:8233/namespaces/default/workflows/sweep%2Fs1',
    status: 'completed',
    totals: {
      cells: cells.length,
      passed: having('pass'),
      failed: having('fail'),
      errored: having('error'),
      cancelled: having('cancelled'),
      cached: cells.filter((one) => one.cached).length,
    },
    cost_usd: null,
    max_usd: null,
    cells,
    ...change,
  };
}
