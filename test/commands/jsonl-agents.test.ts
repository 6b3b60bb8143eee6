import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { cellsOf, createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

/** The agent `ours` prints its prompt, so that each scenario says what it prints. */
const CONFIG = `[agents.ours]
command = "sh"
args = ["-c", "sed s/PLACE/$SECRET/"]
prompt = "stdin"
output = "jsonl"
free = true
env = { SECRET = "\${SECRET}" }
[agents.misspelt]
command = "sh"
args = ["-c", "echo '{\\"type\\":\\"message\\",\\"role\\":\\"assistant\\"}'; echo noise with $SECRET"]
output = "jsonl"
free = true
env = { SECRET = "\${SECRET}" }
[agents.silent]
command = "true"
output = "jsonl"
free = true
`;
const SECRET = 'a-key-that-nobody-may-see';
const ENV = { SECRET };

const call = { type: 'tool_call', id: '1', name: 'shell', input: null, command: 'cat notes' };
const result = { type: 'tool_result', id: '1', exit_code: 0, is_error: false, output: '', truncated: false };
const answer = { type: 'message', role: 'assistant', text: 'all done' };
const { command, ...withoutCommand } = call;

const GATES = [
  '{type: file_exists, path: README.md}',
  `{type: command_called, pattern: ${command.split(' ')[0]}}`,
  '{type: command_not_called, pattern: rm}',
  '{type: response_contains, substring: done}',
  '{type: no_transcript_errors}',
];
const file = (name: string, lines: (object | string)[]): string =>
  scenario(name, { gates: GATES }).replace(
    '"do it"',
    JSON.stringify(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')),
  );

let project: TestProject;
let printed: { stdout: string; stderr: string; exitCode: number | undefined };
let document: SweepDocument;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': CONFIG,
    'fixtures/fits.yaml': file('fits', [call, result, answer]),
    'fixtures/noise.yaml': file('noise', [call, 'Loading with PLACE', result, answer]),
    'fixtures/lacks.yaml': file('lacks', [answer, withoutCommand, ...Array.from({ length: 30 }, () => 'noise')]),
    'fixtures/text.yaml': file('text', ['I ran cat, and all is done']),
  });
  const names = ['fits', 'noise', 'lacks', 'text'];
  printed = await project.cli(['run', ...names, '--agents', 'ours'], ENV);
  const shown = await project.cli(['show', 'latest', '--json']);
  document = JSON.parse(shown.stdout) as SweepDocument;
});
afterAll(() => project.remove());

async function runOf(name: string) {
  const folder = await openRun(cellsOf(document, name));
  const status = Object.fromEntries(folder.metrics.details.map((gate) => [gate.gate_type, gate.status]));
  return { ...folder, status, problems: folder.run.agent?.output_problems };
}

describe('an agent whose lines are all events', () => {
  test('passes the gates on what it did, without warnings about its output', async () => {
    const { run, problems } = await runOf('fits');
    expect(run.outcome).toBe('pass');
    expect([problems, run.warnings]).toEqual([undefined, []]);
  });
});

describe('invalid lines', () => {
  test('are named in run.json with line, field and what was expected; only the first ones, but all are counted', async () => {
    const { problems } = await runOf('lacks');
    expect(problems).toMatchObject({ lines: 31, events: 1, unread: true });
    expect(problems?.first).toHaveLength(20);
    expect(problems?.first[0]).toEqual({
      start: 1,
      line: 2,
      field: 'command',
      message: 'tool_call.command: missing, expected a string or null',
    });
  });

  test('are named in the report, in `show` of the run, and in the report of the sweep', async () => {
    const { run, text } = await runOf('lacks');
    const line = 'line 2: tool_call.command: missing, expected a string or null';
    expect((await text('report.md')).replaceAll('\\', '')).toContain(line);
    expect((await project.cli(['show', run.run_id])).stdout).toContain(line);
    for (const format of ['md', 'html'])
      expect((await project.cli(['report', 'latest', '--format', format])).stdout.replaceAll('\\', '')).toContain(
        'agent ours: ',
      );
  });

  test('are named on the terminal by `run` and `show`', async () => {
    const says = /warning: agent ours: \d+ invalid lines in the output of 3 runs; .*line \d+: /;
    expect(printed.stdout).toMatch(says);
    expect((await project.cli(['show', 'latest'])).stdout).toMatch(says);
  });

  test('make checks of what the agent did an error if an event may be lost, but no others', async () => {
    const { run, status } = await runOf('lacks');
    expect(status).toEqual({
      file_exists: 'pass',
      command_called: 'error',
      command_not_called: 'error',
      response_contains: 'error',
      no_transcript_errors: 'error',
    });
    expect(run.outcome).toBe('error');
  });

  test('do no harm if they are noise', async () => {
    const { run, problems } = await runOf('noise');
    expect(run.outcome).toBe('pass');
    expect(problems?.first[0]).toMatchObject({ line: 2, field: null });
  });

  test('are never taken for the answer: without an event, what the agent did and said is unknown', async () => {
    const { run, status, text } = await runOf('text');
    expect(status).toMatchObject({
      file_exists: 'pass',
      response_contains: 'error',
      command_called: 'error',
    });
    expect(run.warnings).toContain('agent output: no events, although the agent has output = "jsonl"');
    expect(await text('artifacts/events.jsonl')).not.toContain('"type":"message"');
    expect(await text('artifacts/transcript.raw.txt')).toContain('I ran cat, and all is done');
  });

  test('are redacted wherever they are shown', async () => {
    const { text, run } = await runOf('noise');
    expect(run.warnings.join()).toContain('[REDACTED]');
    const shown = [
      printed.stdout,
      printed.stderr,
      JSON.stringify(document),
      await text('report.md'),
      await text('artifacts/run.json'),
    ];
    expect(shown.join()).not.toContain(SECRET);
  });
});

describe('doctor --try', () => {
  test('reports an agent with invalid lines as a problem, with line and field, and exits with 3', async () => {
    const { exitCode, stdout } = await project.cli(['doctor', '--try', 'misspelt'], ENV);
    expect(stdout).toContain('✗  try misspelt');
    expect(stdout).toContain('line 1: message.text: missing, expected a string');
    expect(stdout).toContain('line 2: not JSON, expected an event: "noise with [REDACTED]"');
    expect(stdout).toMatch(/→ print one event per line.*schema --events.*jsonl-agents\.md/);
    expect(stdout).not.toContain(SECRET);
    expect(exitCode).toBe(3);
  });

  test('reports an agent that prints no event', async () => {
    const { exitCode, stdout } = await project.cli(['doctor', '--try', 'silent', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: { detail: { output_problems: unknown } }[] };
    expect(checks[0]?.detail.output_problems).toEqual({ lines: 0, events: 0, unread: true, first: [] });
    expect(exitCode).toBe(3);
  });
});
