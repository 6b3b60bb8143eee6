import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the texts of all files below a folder of the repository whose names have this ending. */
function texts(folder, ending) {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => readFileSync(file, 'utf8'));
}

export const scenarioTexts = [...texts('test/scenario/cases', '.yaml'), ...texts('fixtures', '.yaml')];
export const configTexts = [...texts('test/scenario/cases', '.toml'), ...texts('src/commands/templates', '.toml')];
export const rubricTexts = texts('test/scenario/cases/rubric', '.yaml');
export const scriptTexts = [...texts('src/host/process/supervisor', '.sh'), ...texts('fixtures', '.sh')].flatMap(
  (text) => text.split('\n\n'),
);

export const MINIMAL = {
  name: 'n',
  description: 'd',
  template_folder: 'f',
  target: { binary: 'tool' },
  task: { prompt: 'p' },
  evaluation: { gates: [] },
};

/** One of each kind of event (src/model/records/events.ts). */
export const EVENTS = [
  { type: 'session', session_id: 's-1', model_requested: null, model_used: 'm' },
  { type: 'message', role: 'assistant', text: 'I will run `tool list`.' },
  { type: 'message', role: 'user', text: 'do it' },
  { type: 'reasoning', text: 'hm' },
  {
    type: 'tool_call',
    id: '1',
    name: 'shell',
    input: { command: 'tool add x && tool list' },
    command: 'tool add x | cat',
  },
  { type: 'tool_call', id: '2', name: 'bash', input: { cmd: ['tool', 'rm', "it's"] }, command: null },
  { type: 'tool_result', id: '1', exit_code: 1, is_error: true, output: 'error: no\n', truncated: false },
  { type: 'tool_result', id: '2', exit_code: null, is_error: false, output: 'ok', truncated: true },
  { type: 'usage', input: 10, output: 2, reasoning: null, cache_read: 0, cache_write: null, cost_usd: 0.1 },
  { type: 'setup_command', command: 'make', exit_code: 0, timed_out: false, stdout: 'a\rb', stderr: '' },
  { type: 'post_script', command: 'x', exit_code: null, timed_out: true, stdout: '', stderr: 'e' },
  { type: 'error', message: 'overloaded', retryable: true },
  { type: 'result', ending: 'done', exit_code: 0 },
];

const CELL = {
  id: 'n/mock/default/default/1',
  scenario: 'n',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
};

export const RESULT = {
  schema_version: 1,
  id: 'r',
  sweep: 's',
  cell: CELL.id,
  scenario_id: 'n',
  scenario_hash: 'h',
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
  message: 'm',
  metrics: {
    schema_version: 1,
    run_id: 'r',
    outcome: 'pass',
    completed: true,
    gates_passed: 1,
    gates_total: 1,
    details: [
      {
        index: 0,
        gate_type: 'script',
        name: null,
        subject: 'x',
        status: 'pass',
        passed: true,
        message: '',
        detail: { a: [1] },
        duration_ms: 3,
      },
    ],
    efficiency: null,
    judge: null,
    evaluator_results: [{ name: 'e', metrics: { n: 1 }, score: 0.5, summary: 's', error: null }],
  },
  results_dir: 'r',
  cache_key: null,
  regressions: [],
  cached_from: null,
  attempts: 1,
  starts: 1,
};

export const PLAN = {
  schema_version: 1,
  sweep: 's',
  created_at: '2026-01-01T00:00:00.000Z',
  concurrency: 4,
  scenarios: [{ name: 'n', file: 'n.yaml', hash: 'h' }],
  agents: {
    a: { command: 'c', args: [], prompt: 'arg', output: 'text', models: [], free: true, env: { K: '${K}' } },
  },
  cache: true,
  caps: { agents: {}, models: {} },
  max_usd: null,
  prices: { m: { input_per_mtok: 1, output_per_mtok: 2 } },
  cells: [CELL],
};

export const SWEEP_ENV = { base: { PATH: '/bin' }, values: { TOKEN: 'a-handed-over-value' } };
