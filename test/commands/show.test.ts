import { cp, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventBody } from '../../src/model/records/events.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const RECORDED = join(import.meta.dirname, 'recorded', 'results');
const OLD = '20261123-192602-mock-default-notes-bc42969f';
const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const configOf = (script: string): string => `[agents.chatty]
command = "sh"
args = ["-c", "echo I looked around; echo cat README.md"]
free = true
models = ["m"]

[agents.events]
command = "sh"
args = ["${script}"]
output = "jsonl"
free = true
models = ["m"]
`;

let project: TestProject;
let done: SweepDocument;
let runOf: (scenario: string, agent?: string) => string;
const show = async (...args: string[]) => project.cli(['show', ...args]);

beforeAll(async () => {
  const events = [
    { type: 'tool_call', id: '1', name: 'shell', input: {}, command: 'cat missing.txt' },
    {
      type: 'tool_result',
      id: '1',
      exit_code: 1,
      is_error: true,
      output: 'cat: missing.txt',
      truncated: false,
    },
    { type: 'tool_call', id: '2', name: 'search', input: { query: 'x' }, command: null },
    { type: 'message', role: 'assistant', text: 'I could not find it.' },
    {
      type: 'usage',
      input: 10,
      output: 5,
      reasoning: null,
      cache_read: null,
      cache_write: null,
      cost_usd: 0.25,
    },
  ];
  const printed = events.map((event) => JSON.stringify(event)).join('\n');
  const script = `#!/bin/sh\ncat <<'END'\n${printed}\nEND\n`;
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/broken.yaml': scenario('broken', {
      gates: ['{type: file_exists, path: made.txt}', '{type: file_exists, path: README.md}'],
      steps: [
        '{run: "cat README.md"}',
        `{run: "echo token=${SECRET}; cat nothing.txt"}`,
        '{write: {path: other.txt, content: x}}',
        '{say: "I have made it."}',
      ],
    }),
    'fixtures/fine.yaml': scenario('fine', {
      gates: ['{type: file_exists, path: README.md}'],
      steps: ['{run: "cat README.md"}'],
    }),
  });
  await project.write('llm-tool-test-config.toml', configOf(join(project.folder, 'agent.sh')));
  await project.write('agent.sh', script, 0o755);
  const { document } = await project.run(['broken', 'fine', '--agents', 'mock,chatty,events']);
  done = document;
  runOf = (name, agent = 'mock') =>
    basename(done.cells.find((cell) => cell.scenario === name && cell.agent === agent)?.results_dir ?? 'no run');
  await cp(RECORDED, project.results, { recursive: true, filter: (path) => !path.endsWith('results.jsonl') });
});
afterAll(() => project.remove());

describe('show <run>', () => {
  test('says what failed and why, what the agent ran with exit codes, what it said, and what it cost', async () => {
    const { stdout, exitCode } = await show(runOf('broken'));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/✗ fail {2}file_exists made\.txt\n {6}made\.txt does not exist/);
    expect(stdout).toContain('2 commands, 1 other tool call, 1 failed\n  exit 0  $ cat README.md\n');
    expect(stdout).toMatch(/exit 1 {2}\$ echo token=\[REDACTED\]; cat nothing\.txt\n/);
    expect(stdout).toContain('answer\n  I have made it.\n');
    expect(stdout).toMatch(/took +[\d.]+ (ms|s), cost \$0\.00/);
    expect(stdout).not.toContain(SECRET);
  });
  test('shows the events of an agent of the config', async () => {
    const { stdout } = await show(runOf('broken', 'events'));
    expect(stdout).toContain('1 command, 1 other tool call, 1 failed\n  exit 1      $ cat missing.txt\n');
    expect(stdout).toContain('      cat: missing.txt\n  unfinished  search {"query":"x"}\n');
    expect(stdout).toContain('cost $0.25');
    expect(stdout).toMatch(/tokens +input 10, output 5/);
  });
  test('says that the commands of an agent that prints text are unknown', async () => {
    const { stdout } = await show(runOf('broken', 'chatty'));
    expect(stdout).toContain('The agent printed text, so its commands are unknown.');
    expect(stdout).toContain('output\n  I looked around\n  cat README.md\n');
  });
  test('reads recorded runs', async () => {
    const { stdout, exitCode } = await show(OLD);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 command\n  exit 0  $ echo milk > notes.md\n\nanswer\n  Written.\n');
  });
  test('shows the records even if the events cannot be read', async () => {
    await writeFile(join(project.results, OLD, 'artifacts', 'events.jsonl'), '{"type":"message"}\n');
    const { stdout, exitCode } = await show(OLD);
    expect(exitCode).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('artifacts/events.jsonl:1 is not an event');
    expect(stdout).toContain('gates 2/2');
    const transcript = await project.cli(['show', OLD, '--transcript', '--json']);
    expect(transcript.exitCode).toBe(2);
    expect(JSON.parse(transcript.stdout)).toMatchObject({ error: { code: 'results_broken' } });
  });
});

describe('show --transcript', () => {
  test('is the whole conversation, with commands, their output and exit codes', async () => {
    const { stdout, exitCode } = await show(runOf('broken'), '--transcript');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('=== Prompt ===\ndo it\n');
    expect(stdout).toContain('$ cat README.md\n    nothing\n    [exit code 0]\n');
    expect(stdout).toContain('[exit code 1]');
    expect(stdout).toContain('=== Assistant ===\nI have made it.\n');
    expect(stdout).toMatch(/=== End ===\nTokens: n\/a\nCost: \$0\.00\nEnded: done/);
    expect(stdout).not.toContain(SECRET);
  });
  test('with --json prints the events, which are those of events.jsonl', async () => {
    const { stdout } = await show(runOf('broken'), '--transcript', '--json');
    const { run_id, events } = JSON.parse(stdout) as { run_id: string; events: unknown[] };
    expect(run_id).toBe(runOf('broken'));
    for (const event of events) EventBody.parse(event);
    const broken = done.cells.findIndex((cell) => cell.scenario === 'broken' && cell.agent === 'mock');
    const lines = (await (await openRun(done, broken)).text('artifacts/events.jsonl')).trimEnd().split('\n');
    expect(events).toEqual(lines.map((line) => JSON.parse(line) as unknown));
  });
  test('of a sweep needs options that select one run', async () => {
    const one = await show(done.sweep, '--transcript', '--scenario', 'broken', '--agent', 'mock');
    expect(one.stdout).toContain('I have made it.');
    const many = await show(done.sweep, '--transcript', '--agent', 'mock');
    expect(many.exitCode).toBe(2);
    expect(many.stderr).toContain(runOf('fine'));
  });
  test('says that there is none if the agent was not started', async () => {
    await project.write('fixtures/ill.yaml', scenario('ill', { target: '{binary: cat, health_check: "false"}' }));
    const { document } = await project.run(['ill', '--agents', 'mock']);
    const { stdout, exitCode } = await show(document.sweep, '--transcript');
    expect([stdout, exitCode]).toEqual(['no transcript: the agent was not started', 0]);
    const json = await show(document.sweep, '--transcript', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ events: [] });
  });
});

describe('show <sweep> with options that select cells', () => {
  const cells = (stdout: string): string[] =>
    documentOf(stdout).cells.map(({ scenario: name, agent }) => `${name} ${agent}`);

  test('shows only these, in text and as JSON', async () => {
    const failed = await show(done.sweep, '--failed', '--json');
    expect(cells(failed.stdout)).toEqual(['broken mock', 'broken chatty', 'broken events']);
    expect(documentOf(failed.stdout)).toMatchObject({
      cells_of_sweep: 6,
      totals: { cells: 3, passed: 0, failed: 3 },
    });
    const both = await show(done.sweep, '--agent', 'mock,events', '--agents', 'chatty', '--scenario', 'fine', '--json');
    expect(cells(both.stdout)).toEqual(['fine mock', 'fine chatty', 'fine events']);
    const text = await show(done.sweep, '--failed', '--model', 'm', '--variant', 'default');
    expect(text.stdout).toContain('2 of 6 cells: 2 failed');
    expect(text.stdout).not.toContain('fine');
    const none = await show(done.sweep, '--failed', '--scenario', 'fine');
    expect([none.exitCode, none.stdout.includes('0 of 6 cells')]).toEqual([0, true]);
  });
  test('refuses a name that no cell has, and such options for a run', async () => {
    const unknown = await show(done.sweep, '--agent', 'mokc', '--json');
    expect(unknown.exitCode).toBe(2);
    expect(JSON.parse(unknown.stdout)).toMatchObject({
      error: { code: 'nothing_selected', message: expect.stringContaining("did you mean 'mock'?") as string },
    });
    expect((await show(runOf('fine'), '--failed')).exitCode).toBe(2);
  });
});

describe('a sweep of 200 cells', () => {
  beforeAll(() => {
    writePastSweep(project.results, null, {
      id: 'large-000000000000',
      daysAgo: 1,
      runs: 200,
      scenarios: ['one', 'two', 'three', 'four', 'five'],
      agents: ['a', 'b'],
      change: (index) =>
        index % 3 === 0 ? { outcome: 'fail', message: `0/1 gates passed: cell ${index} went wrong` } : {},
    });
  });

  test('takes at most 50 lines, failures first, and says what is missing and how to see it', async () => {
    const { stdout, exitCode } = await show('large');
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.length).toBeLessThanOrEqual(50);
    const [, missing] = /^not shown: (\d+) cells that did not pass; --all shows them$/.exec(lines.at(-1) ?? '') ?? [];
    const reasons = lines.filter((line) => /^✗ fail {2}\w+ [ab]\/default.*went wrong$/.test(line));
    expect(reasons.length).toBeGreaterThan(5);
    expect(reasons.length + Number(missing)).toBe(67);
  });
  test('is complete with --all, and as JSON', async () => {
    const { stdout } = await show('large', '--all', '--failed');
    expect(stdout.match(/went wrong/g)).toHaveLength(67);
    expect(stdout).not.toContain('not shown');
    expect(documentOf((await show('large', '--json')).stdout).cells).toHaveLength(200);
  });
});

describe('reports', () => {
  test('report.md has the commands with exit codes, the output of those that failed, and the last message', async () => {
    const report = await project.read(`llm-tool-test-results/${runOf('broken')}/report.md`);
    expect(report).toContain('## What the agent did\n\n2 commands, 1 other tool call, 1 failed.\n');
    expect(report).toContain(
      '1. `cat README.md`: exit 0\n2. **Failed:** `echo token=[REDACTED]; cat nothing.txt`: exit 1\n',
    );
    expect(report).toMatch(/Output of number 2:\n\n```\n[^`]*nothing\.txt/);
    expect(report).toContain('Its last message:\n\n```\nI have made it.\n```');
    expect(report).not.toContain(SECRET);
  });
  test.each(['html', 'md', 'github'])('the %s report of a sweep has those of failed runs', async (format) => {
    const { stdout } = await project.cli(['report', done.sweep, '--format', format]);
    expect(stdout).toContain('cat missing.txt');
    expect(stdout).toContain('I could not find it.');
    // The page of a run shows the text itself.
    expect(stdout).toContain(format === 'html' ? 'I looked around' : 'so its commands are unknown');
    expect(stdout).not.toContain(SECRET);
  });
});
