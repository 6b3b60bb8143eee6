import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import { beforeAll, expect, test } from 'vitest';
import { taskQueueOf } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { runWorkflowId, sweepWorkflowId, WORKFLOWS, type RunInput, type SweepInput } from '../../src/protocol/index.js';
import { letGo, startsOf, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { documentOf, EMPTY_FIXTURE } from '../commands/project.js';
import { projectWithClient } from '../commands/project-with-client.js';

/** Starts workflows as any process on this machine can: with a client on Temporal's port. */
const { project, client } = await projectWithClient(EMPTY_FIXTURE);
/** A sweep of one cell that has ended, and one that is running because its agent waits. */
let ended: string;
let running: string;
/** The inputs that the ended sweep and its run were started with, read before any forged start. */
let startedSweep: SweepInput;
let startedRun: RunInput;

const cellOf = (name: string): string => `${name}/mock/default/default/1`;

beforeAll(async () => {
  for (const name of ['ended', 'running']) await writeGated(project, name);
  await letGo(project, 'ended');
  const { document } = await project.run(['ended', '--name', 'ended']);
  ended = document.sweep;
  startedSweep = await recorded(sweepWorkflowId(ended));
  startedRun = await recorded(runWorkflowId(ended, cellOf('ended'), 1));
  await project.cli(['run', 'running', '--name', 'running', '--detach']);
  await untilStarted(project, 'running');
  running = await sweepOf(project, 'running');
});

/** The input that a workflow was started with, which any client can read. */
async function recorded<T>(workflowId: string): Promise<T> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? null;
  return fromPayloadsAtIndex<T>(defaultPayloadConverter, 0, payloads);
}

/** Starts a workflow and returns the messages of its failure and of all causes. */
async function failureOf(type: string, workflowId: string, input: object): Promise<string> {
  const taskQueue = taskQueueOf(projectState(project.results, project.state).id);
  const failure: unknown = await client.workflow
    .execute(type, { workflowId, taskQueue, args: [input] })
    .catch((error: unknown) => error);
  const messages: string[] = [];
  for (let cause = failure; cause instanceof Error; cause = cause.cause) messages.push(cause.message);
  return messages.join('; ');
}

/** Expects that a start fails, starts no agent and writes no result line. */
async function expectRefused(name: string, start: () => Promise<string>, why: RegExp): Promise<void> {
  const before = { lines: await project.resultLines(), starts: startsOf(project, name) };
  expect(await start()).toMatch(why);
  expect({ lines: await project.resultLines(), starts: startsOf(project, name) }).toEqual(before);
}

const NO_PROOF = /is refused: it was not started by the command line/;

test('a sweep that was not started by a command is refused, whatever its input', async () => {
  const input: Omit<SweepInput, 'proof'> = {
    sweep: ended,
    round: 2,
    concurrency: 9,
    caps: { agents: {}, models: {} },
    again: ['pass'],
  };
  const start = (more: object) => () => failureOf(WORKFLOWS.sweep, sweepWorkflowId(ended), { ...input, ...more });
  await expectRefused('ended', start({}), NO_PROOF);
  await expectRefused('ended', start({ proof: `${'0'.repeat(16)}.${'0'.repeat(64)}` }), NO_PROOF);
});

test('the recorded start of a sweep cannot be used again, neither unchanged nor changed', async () => {
  const id = sweepWorkflowId(ended);
  const input = startedSweep;
  expect(input.proof).toBeDefined();
  const start =
    (more: object, workflowId = id) =>
    () =>
      failureOf(WORKFLOWS.sweep, workflowId, { ...input, ...more });
  await expectRefused('ended', start({ concurrency: 50 }), NO_PROOF);
  await expectRefused('ended', start({ again: ['pass'], round: 2 }), NO_PROOF);
  await expectRefused('ended', start({ maxUsd: 1000 }), NO_PROOF);
  await expectRefused('ended', start({}), /the proof was already used by another execution/);
  await expectRefused('ended', start({}, 'sweep/other'), /the proof belongs to another workflow/);
});

test('the recorded start of a run cannot be used again, neither unchanged nor with another model', async () => {
  const id = runWorkflowId(ended, cellOf('ended'), 1);
  const input = startedRun;
  expect(input.proof).toBeDefined();
  const start = (more: object) => () => failureOf(WORKFLOWS.run, id, { ...input, ...more });
  await expectRefused('ended', start({}), /the proof was already used by another execution/);
  await expectRefused('ended', start({ cell: { ...input.cell, model: 'dear' } }), NO_PROOF);
  await expectRefused('ended', start({ proof: undefined }), NO_PROOF);
});

test('the recorded start of a running sweep cannot start a second sweep or a second run of a cell', async () => {
  const sweep = await recorded<SweepInput>(sweepWorkflowId(running));
  const other = () => failureOf(WORKFLOWS.sweep, 'sweep/beside', sweep);
  await expectRefused('running', other, /the proof belongs to another workflow/);
  const id = runWorkflowId(running, cellOf('running'), 1);
  const run = await recorded<RunInput>(id);
  const again = (more: object) => () => failureOf(WORKFLOWS.run, `${id}/again`, { ...run, ...more });
  await expectRefused('running', again({}), NO_PROOF);
  await expectRefused('running', again({ cell: { ...run.cell, model: 'dear' } }), NO_PROOF);
  await letGo(project, 'running');
  const { exitCode, stdout } = await project.cli(['resume', running, '--json']);
  expect(exitCode).toBe(0);
  expect(documentOf(stdout).cells.map(({ outcome }) => outcome)).toEqual(['pass']);
  expect(startsOf(project, 'running')).toBe(1);
});

test('a command can still rerun a cell after these attacks', async () => {
  await project.write(
    'fixtures/bad.yaml',
    (await project.read('fixtures/ended.yaml'))
      .replace('name: ended', 'name: bad')
      .replace('README.md', 'no-such-file'),
  );
  const { document } = await project.run(['bad', '--name', 'bad']);
  expect(document.cells[0]?.outcome).toBe('fail');
  const { stdout } = await project.cli(['retry', 'bad', '--failed', '--json']);
  expect(documentOf(stdout).cells[0]?.outcome).toBe('fail');
  expect(await project.resultLines()).toHaveLength(4);
});
