import { afterAll, beforeAll, expect, test } from 'vitest';
import { Executions } from '../../src/model/records/execution.js';
import { createProject, openRun, type TestProject } from './project.js';

/** Has the form of a token, which is redacted wherever it appears. */
const TOKEN = `ghp_${'Aa1'.repeat(12)}`;

const EVENTS = [
  { type: 'reasoning', text: 'I should look at the notes.' },
  { type: 'tool_call', id: '1', name: 'read_file', input: { path: 'notes.md' }, command: null },
  { type: 'tool_result', id: '1', output: '- milk', is_error: false, exit_code: null, truncated: false },
  { type: 'usage', input: 10, output: 5, reasoning: 0, cache_read: 0, cache_write: 0, cost_usd: 0 },
  { type: 'message', role: 'assistant', text: 'Buy milk.' },
  { type: 'result', ending: 'done', exit_code: 0 },
].map((event) => JSON.stringify(event));

const agent = (name: string, output: string, script: string): string => `[agents.${name}]
command = "sh"
args = ["-c", '''${script}''']
prompt = "stdin"
output = "${output}"
free = true
`;

/** Calls a tool named after the number of the turn, and repeats the last line of what it was given. */
const ECHOING = [
  { type: 'tool_call', id: '%s', name: 'tool_%s', input: {}, command: null },
  { type: 'usage', input: 10, output: 1, reasoning: 0, cache_read: 0, cache_write: 0, cost_usd: 0 },
  { type: 'message', role: 'assistant', text: 'heard %s' },
  { type: 'result', ending: 'done', exit_code: 0 },
].map((event) => JSON.stringify(event));

const TWO_INPUTS = `name: two
agent: echoing
run:
  - { name: first, input: Hello. }
  - { code: echo between }
  - { name: second, input: And now? }
evaluations: [{ type: file_exists, path: turns.txt }]
`;

const CONFIG = [
  agent(
    'answerer',
    'jsonl',
    `cat >/dev/null; echo done > by-agent.txt; rm old.txt; echo careful >&2; printf '%s\\n' ${EVENTS.map((event) => `'${event}'`).join(' ')}`,
  ),
  agent('talker', 'text', 'cat >/dev/null; echo Buy milk.'),
  agent(
    'echoing',
    'jsonl',
    `said=$(tail -n 1); echo turn >> turns.txt; n=$(wc -l < turns.txt | tr -d ' ')
printf '${ECHOING.join('\\n')}\\n' "$n" "$n" "$said"`,
  ),
].join('\n');

const SCENARIO = `name: steps
agent: answerer
setup:
  virtual_fs: {notes.md: '- milk', old.txt: old}
run:
  - name: before the agent
    code: |
      echo token ${TOKEN} > secret.txt
      printf '\\0\\1' > image.bin
      echo out; echo ${TOKEN} >&2; exit 3
  - input: What must I buy?
  - lang: node
    code: require('fs').appendFileSync('notes.md', '\\n- ' + 'x'.repeat(20000))
evaluations: [{ type: file_exists, path: notes.md }]
`;

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    'llm-tool-test-config.toml': CONFIG,
    's.scenario.yaml': SCENARIO,
    'two.scenario.yaml': TWO_INPUTS,
  });
});
afterAll(() => project.remove());

const executionsIn = async (...args: string[]) => {
  const { document } = await project.run(['s.scenario.yaml', ...args]);
  const run = await openRun(document);
  const text = await run.text('artifacts/executions.json');
  const read = Executions.parse(JSON.parse(text));
  expect(read.run_id).toBe(run.run.run_id);
  return { text, executions: read.executions };
};

test('executions.json says what each step of an ElizaOS file printed, changed and did', async () => {
  const { text, executions } = await executionsIn();
  expect(text).not.toContain(TOKEN);
  const [before, asked, after] = executions;
  expect(executions).toHaveLength(3);
  expect(before).toMatchObject({
    step: 'command 1',
    name: 'before the agent',
    exitCode: 3,
    stdout: 'out\n',
    stderr: '[REDACTED]\n',
    files: { 'secret.txt': 'token [REDACTED]\n', 'notes.md': '- milk', 'old.txt': 'old' },
    filesLeftOut: 1,
    filesRemoved: [],
    trajectory: [],
    trajectoryLeftOut: 0,
  });
  expect(asked).toMatchObject({
    step: 'agent',
    name: null,
    exitCode: 0,
    stdout: 'Buy milk.',
    stderr: 'careful\n',
    files: { 'secret.txt': 'token [REDACTED]\n', 'by-agent.txt': 'done\n', 'notes.md': '- milk' },
    filesRemoved: ['old.txt'],
    trajectoryLeftOut: 0,
    trajectory: [
      { type: 'thought', content: 'I should look at the notes.' },
      { type: 'action', content: { name: 'read_file', parameters: { path: 'notes.md' } } },
      { type: 'observation', content: '- milk' },
    ],
  });
  expect(after).toMatchObject({ step: 'post 1', exitCode: 0, stdout: '', trajectory: [] });
  const notes = after?.files?.['notes.md'] ?? '';
  expect([notes.slice(0, 10), notes.length, notes.at(-1)]).toEqual(['- milk\n- x', 16 * 1024 + 1, '…']);
  for (const { startedAtMs, endedAtMs, durationMs } of executions)
    expect(startedAtMs <= endedAtMs && durationMs <= endedAtMs - startedAtMs + 1).toBe(true);
});

test('each of two inputs has an execution of its own, and the work of both is counted', async () => {
  const { document } = await project.run(['two.scenario.yaml']);
  const run = await openRun(document);
  expect(run.run.outcome).toBe('pass');
  const { executions } = Executions.parse(JSON.parse(await run.text('artifacts/executions.json')));
  const action = (name: string) => ({ type: 'action', content: { name } });
  expect(executions).toMatchObject([
    { step: 'agent', name: 'first', stdout: 'heard Hello.', trajectory: [action('tool_1')] },
    { stdout: 'between\n', trajectory: [] },
    { step: 'turn 2', name: 'second', stdout: 'heard And now?', trajectory: [action('tool_2')] },
  ]);
  expect(executions.map(({ files }) => files)).toEqual([
    { 'turns.txt': 'turn\n' },
    { 'turns.txt': 'turn\n' },
    { 'turns.txt': 'turn\nturn\n' },
  ]);
  for (const [at, { startedAtMs, endedAtMs }] of executions.entries())
    expect([startedAtMs <= endedAtMs, startedAtMs >= (executions[at - 1]?.endedAtMs ?? 0)]).toEqual([true, true]);
  expect(run.metrics.agent_work).toEqual({ tokens: 22, tool_calls: 2, actions: ['tool_1', 'tool_2'] });
});

test('the trajectory of an agent that prints only text is unknown, not empty', async () => {
  const { executions } = await executionsIn('--agents', 'talker');
  expect(executions[1]).toMatchObject({ step: 'agent', stdout: 'Buy milk.', trajectory: null });
});

test('what the agent did is in metrics.json, for results by parameter', async () => {
  const workOf = async (name: string) => {
    const { document } = await project.run(['s.scenario.yaml', '--agents', name]);
    return (await openRun(document)).metrics.agent_work;
  };
  expect(await workOf('answerer')).toEqual({ tokens: 15, tool_calls: 1, actions: ['read_file'] });
  expect(await workOf('talker')).toMatchObject({ tool_calls: null, actions: null });
});
