import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findTemporal } from '../../src/engine/find-temporal.js';
import { anyFreePort } from '../../src/engine/server.js';
import { readEngineState } from '../../src/engine/engine-state.js';
import { sweepWorkflowId } from '../../src/protocol/index.js';
import { partOf, stateOf } from '../commands/engine-parts.js';
import { letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';

/** In texts that Temporal gets: titles of gates, messages of failures, what an agent says and does. */
const MARKER = 'QUINCE';
const keyLine = (id: string): string => `${id} ${randomBytes(32).toString('hex')}\n`;
const [FIRST, SECOND] = [keyLine('first'), keyLine('second')];

let project: TestProject;
let client: Client;

beforeAll(async () => {
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/marked.yaml': scenario('marked', {
        gates: [`{type: file_contains, path: README.md, substring: ${MARKER}}`],
        steps: [`say: ${MARKER}`, `run: 'echo ${MARKER}'`],
        more: `setup: {commands: ['echo ${MARKER}']}`,
      }),
      'fixtures/breaking.yaml': scenario('breaking', {
        target: `{binary: cat, health_check: 'echo ${MARKER} >&2; exit 1'}`,
        steps: ['say: x'],
      }),
    },
    { ownEngine: true },
  );
  project.env['LLM_TOOL_TEST_LIMITS'] = JSON.stringify({ retryMs: 1000 });
  await project.write('keys', FIRST, 0o600);
  await writeGated(project, 'gated');
});
afterAll(async () => {
  await project.remove();
  await client.connection.close();
});

const KEYS = { LLM_TOOL_TEST_CODEC_KEYS: 'keys' };

/** The server's description of a workflow, undecoded. */
const describe = (workflowId: string) =>
  client.workflowService.describeWorkflowExecution({ namespace: 'default', execution: { workflowId } });

/** The histories of a sweep and its runs, as the server stores them. */
async function historiesOf(sweep: string): Promise<string> {
  const id = sweepWorkflowId(sweep);
  const ids = [id];
  await until('the runs of the sweep are listed', async () => {
    const { executions } = await client.workflowService.listWorkflowExecutions({
      namespace: 'default',
      query: `SweepId = '${sweep}'`,
    });
    for (const { execution } of executions)
      if (!ids.includes(execution?.workflowId ?? '')) ids.push(execution?.workflowId ?? '');
    return ids.length > 1 ? true : null;
  });
  const History = proto.temporal.api.history.v1.History;
  const texts = await Promise.all(
    ids.map(async (workflowId) => {
      const handle = client.workflow.getHandle(workflowId);
      const history = History.encode(await handle.fetchHistory()).finish();
      const Description = proto.temporal.api.workflowservice.v1.DescribeWorkflowExecutionResponse;
      const description = Description.encode(await describe(workflowId)).finish();
      return `${Buffer.from(history).toString('latin1')}${Buffer.from(description).toString('latin1')}`;
    }),
  );
  return texts.join('\n');
}

test('without keys, histories contain texts of a scenario; with keys, they do not', async () => {
  const plain = await project.run(['marked', 'breaking', '--no-cache']);
  expect(await historiesOf(plain.document.sweep)).toContain(MARKER);

  const { document, exitCode, stderr } = await project.run(['marked', 'breaking', '--no-cache'], KEYS);
  expect(stderr).toContain('replacing a worker that has other keys for payloads');
  expect(exitCode, stderr).toBe(plain.exitCode);
  expect(document.cells.map(({ outcome, message }) => [outcome, message])).toEqual(
    plain.document.cells.map(({ outcome, message }) => [outcome, message]),
  );
  const histories = await historiesOf(document.sweep);
  expect(histories).not.toContain(MARKER);
  expect(histories).toContain('binary/encrypted');
  // Parts that are not encrypted: ids and search attributes.
  expect(histories).toContain('marked');
});

test('messages of failures are encrypted', async () => {
  // Anyone can start a workflow with a wrong input. Why it fails is encrypted.
  const { taskQueue } = (await readEngineState(stateOf(project))) ?? {};
  const evil = await client.workflow.start('runSweep', {
    taskQueue: taskQueue ?? '',
    workflowId: `sweep/../${MARKER.toLowerCase()}`,
    args: [{ sweep: `../${MARKER}`, round: 1, concurrency: 1 }],
  });
  await evil.result().catch(() => undefined);
  const { events } = await evil.fetchHistory();
  const failures = (events ?? []).flatMap((event) => [
    ...(event.activityTaskFailedEventAttributes?.failure ? [event.activityTaskFailedEventAttributes.failure] : []),
    ...(event.workflowExecutionFailedEventAttributes?.failure
      ? [event.workflowExecutionFailedEventAttributes.failure]
      : []),
  ]);
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) {
    expect(failure.message).toBe('Encoded failure');
    expect(JSON.stringify(failure)).not.toContain('is not a valid sweep');
  }
});

test('a sweep continues after the key was rotated, and needs the old key for it', async () => {
  const running = project.start(['run', 'gated', '--name', 'rotated', '--json'], KEYS);
  await untilStarted(project, 'gated');
  const sweep = await sweepOf(project, 'rotated');

  // The new key alone: the worker cannot read the sweep, and says so.
  await project.write('keys', SECOND, 0o600);
  await project.cli(['engine', 'start'], KEYS);
  await letGo(project, 'gated');
  const failure = await until('an attempt that cannot read its input', async () => {
    const { pendingChildren } = await describe(sweepWorkflowId(sweep));
    const runs = await Promise.all(pendingChildren.map((run) => describe(run.workflowId ?? '')));
    return runs.flatMap((run) => run.pendingActivities)[0]?.lastFailure ?? null;
  });
  // It is encoded like all failures, with the new key.
  expect(failure.message).toBe('Encoded failure');
  const said = await project.cli(['show', sweep], KEYS);
  expect(said.stdout).not.toContain('pass');

  // The new key first, and the old one: the sweep continues where it was.
  await project.write('keys', `${SECOND}${FIRST}`, 0o600);
  const resumed = await project.cli(['resume', sweep, '--json'], KEYS);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(documentOf(resumed.stdout).totals).toMatchObject({ cells: 1, passed: 1 });
  await running;
  const histories = await historiesOf(sweep);
  expect(histories).toContain('first');
  expect(histories).toContain('second');
});

test('a command without keys is refused while the engine has some, before anything is written', async () => {
  const before = await project.resultLines();
  const { exitCode, stderr } = await project.cli(['run', 'marked', '--name', 'unkeyed']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      "the engine encrypts payloads with the key 'second'; set LLM_TOOL_TEST_CODEC_KEYS to the file with this key",
    ),
  ]);
  await expect(sweepOf(project, 'unkeyed')).rejects.toThrow('no sweep unkeyed');
  expect(await project.resultLines()).toEqual(before);
});

test('a key file that cannot be used is an error before anything runs', async () => {
  await project.write('bad-keys', 'first 1234\n', 0o600);
  await project.write('open-keys', FIRST, 0o644);
  const worker = await partOf(project, 'worker');
  for (const [file, message] of [
    ['bad-keys', 'bad-keys:1: not a key; expected one key per line, as <id> <64 hexadecimal digits>'],
    ['open-keys', 'open-keys can be read or changed by other users; run chmod 600'],
    ['no-keys', 'no-keys cannot be read (ENOENT)'],
  ] as const) {
    const env = { LLM_TOOL_TEST_CODEC_KEYS: file };
    for (const args of [
      ['run', 'marked', '--name', 'unusable'],
      ['engine', 'start'],
      ['worker', '--address', inject('temporalAddress'), '--results', 'shared'],
      ['codec-server'],
    ]) {
      const { exitCode, stderr } = await project.cli(args, env);
      expect([args[0], exitCode, stderr]).toEqual([args[0], 2, expect.stringContaining(message)]);
    }
  }
  await expect(sweepOf(project, 'unusable')).rejects.toThrow('no sweep unusable');
  expect(await partOf(project, 'worker')).toEqual(worker);
});

test("Temporal's CLI shows histories through the codec server", async () => {
  const { path: temporal } = await findTemporal(() => undefined);
  const { document } = await project.run(['marked', '--no-cache'], KEYS);
  const server = project.start(['codec-server', '--port', String(await anyFreePort())], KEYS);
  try {
    const [endpoint] = (await once(createInterface(server.stdout), 'line')) as [string];
    const show = async (...more: string[]): Promise<string> =>
      (
        await execa(temporal, [
          ...['workflow', 'show', '--address', inject('temporalAddress'), '--output', 'json'],
          ...['--workflow-id', sweepWorkflowId(document.sweep), ...more],
        ])
      ).stdout;
    const summary = Buffer.from('"1 cells of marked"').toString('base64');
    expect(await show()).not.toContain(summary);
    expect(await show('--codec-endpoint', endpoint)).toContain(summary);
  } finally {
    server.kill('SIGTERM');
  }
  expect((await server).exitCode).toBe(0);
});
