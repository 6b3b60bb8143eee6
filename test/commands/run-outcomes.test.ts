import { stat } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { cellsOf, createProject, EMPTY_FIXTURE, filesBelow, openRun, scenario, type TestProject } from './project.js';

const THERE = '{type: file_exists, path: README.md}';
const HANG = 'sh -c "trap \'\' TERM; sleep 300" & sleep 300';
const HANG_MS = 300_000;
const FLOOD = 'head -c 10000000 /dev/zero | tr "\\\\0" x';

const PASSING = {
  quits: scenario('quits', { gates: [THERE], steps: ['say: I give up', 'exit: 9'] }),
  idle: scenario('idle', {
    gates: [THERE],
    steps: ['say: thinking', 'wait_secs: 300'],
    more: 'run: {idle_timeout_secs: 0.5}',
  }),
  'flood-of-mock': scenario('flood-of-mock', {
    gates: [`{type: command_succeeds, command: '${FLOOD}'}`, `{type: script, description: flood, command: '${FLOOD}'}`],
    steps: [`run: '${FLOOD}'`],
    more: `scripts: {post: [{command: '${FLOOD}'}]}`,
  }),
  'flood-of-agent': scenario('flood-of-agent', { more: 'tool_matrix: [{tool: flooder}]' }),
  scored: scenario('scored', { gates: [THERE], steps: ['run: cat README.md'] }).replace(
    'evaluation:',
    'evaluation:\n  composite: {judge_weight: 0, gate_weight: 0.5, interaction_weight: 0.5}',
  ),
};
const FAILING = {
  failing: scenario('failing', {
    gates: ['{type: file_exists, path: missing.txt}', THERE],
    steps: ['say: nothing'],
  }),
  hangs: scenario('hangs', {
    gates: [`{type: command_succeeds, command: ${JSON.stringify(HANG)}, timeout_secs: 0.5}`, THERE],
    steps: [`run: ${JSON.stringify(HANG)}`],
    more: 'run: {timeout_secs: 0.5}\nscripts: {post: [{command: "sleep 300 & sleep 300", timeout_secs: 0.5}]}',
  }),
};
const UNTESTABLE = {
  untested: scenario('untested', { target: '{binary: no-such-tool}', gates: [THERE], steps: ['say: hi'] }),
  shut: scenario('shut', { target: '{binary: bin/shut-tool}', steps: ['say: hi'] }).replace(
    'template_folder: empty',
    'template_folder: shut',
  ),
  unhealthy: scenario('unhealthy', {
    target: '{binary: cat, health_check: "echo broken disk >&2; exit 4"}',
    steps: ['say: hi'],
  }),
  absent: scenario('absent', { more: 'tool_matrix: [{tool: absent}]' }),
};
const CONFIG = `
[agents.flooder]
command = "sh"
args = ["-c", '${FLOOD.replace('\\\\', '\\')}']
free = true
[agents.absent]
command = "no-such-agent"
free = true
`;

type Sweep = Awaited<ReturnType<TestProject['run']>>;
let project: TestProject;
let passing: Sweep, failing: Sweep, untestable: Sweep;

const runAll = async (scenarios: Record<string, string>): Promise<Sweep> => {
  for (const [name, text] of Object.entries(scenarios)) await project.write(`fixtures/${name}.yaml`, text);
  return project.run([...Object.keys(scenarios), '--concurrency', '2']);
};
beforeAll(async () => {
  project = await createProject({ ...EMPTY_FIXTURE, 'llm-tool-test-config.toml': CONFIG });
  await project.write('fixtures/shut/bin/shut-tool', '#!/bin/sh\n', 0o644);
  passing = await runAll(PASSING);
  failing = await runAll(FAILING);
  untestable = await runAll(UNTESTABLE);
});
afterAll(() => project.remove());

const outcomesOf = ({ document }: Sweep): Record<string, unknown> =>
  Object.fromEntries(document.cells.map(({ scenario: name, outcome }) => [name, outcome]));
const messageOf = (document: SweepDocument, name: string): string => cellsOf(document, name).cells[0]?.message ?? '';

describe('runs that pass', () => {
  test('make the command exit 0', () => {
    expect(new Set(Object.values(outcomesOf(passing)))).toEqual(new Set(['pass']));
    expect(passing.exitCode).toBe(0);
  });

  test('an agent that exits non-zero has not completed, but the gates decide the outcome', async () => {
    expect(outcomesOf(passing)['quits']).toBe('pass');
    const { metrics } = await openRun(cellsOf(passing.document, 'quits'));
    expect(metrics.completed).toBe(false);
  });

  test('an agent that prints nothing for the idle time is stopped', async () => {
    const { run } = await openRun(cellsOf(passing.document, 'idle'));
    expect(run.agent).toMatchObject({ ending: 'idle_timeout', completed: false });
  });

  test('10 MB of output from agent, gate and script neither blocks the run nor gets into the workflow history', async () => {
    expect(outcomesOf(passing)).toMatchObject({ 'flood-of-mock': 'pass', 'flood-of-agent': 'pass' });
    const { path, run } = await openRun(cellsOf(passing.document, 'flood-of-agent'));
    expect(run.agent?.output_bytes).toBe(10_000_000);
    expect((await stat(path('artifacts/transcript.raw.txt'))).size).toBeGreaterThan(1_000_000);
    const played = await openRun(cellsOf(passing.document, 'flood-of-mock'));
    expect((await stat(played.path('artifacts/run.json'))).size).toBeLessThan(200_000);
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    const { workflow } = new Client({ connection });
    for (const { workflow_id } of [run, played.run]) {
      const { historySize } = await workflow.getHandle(workflow_id).describe();
      expect(historySize).toBeGreaterThan(1000);
      expect(historySize).toBeLessThan(30_000);
    }
    await connection.close();
  });

  test('a composite score is computed only where it is configured', async () => {
    expect(cellsOf(passing.document, 'scored').cells[0]?.composite_score).toBe(1);
    const { metrics } = await openRun(cellsOf(passing.document, 'quits'));
    expect(metrics).not.toHaveProperty('composite_score');
  });
});

describe('runs that fail', () => {
  test('make the command exit 1', () => {
    expect(outcomesOf(failing)).toEqual({ failing: 'fail', hangs: 'fail' });
    expect(failing.exitCode).toBe(1);
  });

  test('a failing gate makes the run fail, and the other gates are still checked', () => {
    expect(cellsOf(failing.document, 'failing').cells).toMatchObject([
      { outcome: 'fail', gates_passed: 1, gates_total: 2 },
    ]);
  });

  test('an agent and a gate whose grandchildren hold their output open are ended by their time limits', async () => {
    const { run, metrics } = await openRun(cellsOf(failing.document, 'hangs'));
    expect(run.agent?.ending).toBe('timeout');
    expect(run.agent?.duration_ms).toBeLessThan(HANG_MS);
    expect(metrics.details.map(({ status }) => status)).toEqual(['fail', 'pass']);
    expect(metrics.details[0]?.message).toMatch(/timed out after 0.5 s/);
    expect(metrics.details[0]?.duration_ms).toBeLessThan(HANG_MS);
    expect(run.post_scripts[0]?.timed_out).toBe(true);
  });
});

describe('runs that could not be tested', () => {
  test('make the command exit 3', () => {
    expect(new Set(Object.values(outcomesOf(untestable)))).toEqual(new Set(['error']));
    expect(untestable.exitCode).toBe(3);
  });

  test('have no start of the agent if the target is missing, and record which steps were not performed', async () => {
    expect(messageOf(untestable.document, 'untested')).toMatch(/no-such-tool.*not found on PATH/);
    const { run } = await openRun(cellsOf(untestable.document, 'untested'));
    expect(run.agent).toBeNull();
    expect(run.steps.find(({ name }) => name === 'agent')).toMatchObject({ status: 'not_performed' });
  });

  test('name a target that exists but is not executable', () => {
    const message = messageOf(untestable.document, 'shut');
    expect(message).toMatch(/'bin\/shut-tool' is not executable: .*shut-tool; chmod \+x/);
  });

  test('quote a failed health check', () => {
    const message = messageOf(untestable.document, 'unhealthy');
    expect(message).toMatch(/health check failed \(exit 4\).*broken disk/);
  });

  test('have no attempts of the agent step and no start of the agent if the preparation failed', () => {
    for (const name of ['untested', 'shut', 'unhealthy'])
      expect(cellsOf(untestable.document, name).cells[0]).toMatchObject({ attempts: 0, starts: 0 });
  });

  test('name a known agent that is not installed', () => {
    expect(messageOf(untestable.document, 'absent')).toMatch(/no-such-agent.*was not found/);
  });
});

test('a finished run leaves no process, workspace, temporary file or handed-over value', async () => {
  const names = (await filesBelow(project.state)).map((file) => file.slice(project.state.length));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => /\/(fixture|home|config|tmp|bin)\/|\.tmp$|\/env\//.test(name))).toEqual([]);
  expect((await filesBelow(project.results)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  for (const { id } of await project.resultLines()) expect(markedProcesses(opaqueId(id)), id).toEqual([]);
});
