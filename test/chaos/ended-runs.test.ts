import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { logFile, readEngineState } from '../../src/engine/engine-state.js';
import { isAlive } from '../../src/host/process/process-identity.js';
import { inspect } from '../../src/host/process/supervise.js';
import { runWorkflowId } from '../../src/protocol/index.js';
import { letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  until,
  type ProjectOptions,
  type TestProject,
} from '../commands/project.js';
import { killProcess, processesWith } from '../host/processes.js';
import { expectRemoved, kill, linesIn, partOf, preferPort, stateOf, foldersOf } from '../commands/engine-parts.js';
import { expectWhole, writeWaiting } from './waiting-agent.js';

/** An engine on the server that all test files share. */
let project: TestProject;
let client: Client;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(async () => {
  await client.connection.close();
  await project.remove();
});

/** An engine that is removed with the test. */
async function openProject(options: ProjectOptions, env: Record<string, string> = {}): Promise<TestProject> {
  const opened = await createProject(EMPTY_FIXTURE, options);
  Object.assign(opened.env, env);
  onTestFinished(() => opened.remove());
  return opened;
}

/** The workflow of the only run of a sweep; sweep and scenario have the same name. */
const workflowOf = async (of: TestProject, name: string): Promise<WorkflowHandle> =>
  client.workflow.getHandle(runWorkflowId(await sweepOf(of, name), `${name}/mock/default/default/1`, 1));

const folderOf = (of: TestProject, name: string): string => foldersOf(of, name)[0] ?? '';

const agentsOf = (project: TestProject, name: string): number[] => processesWith(`${project.folder}/${name}.go`);

describe.each(['pidns', 'group'])('containment %s', (mode) => {
  test('ends the agent, and the record says so, if its run is cancelled and its worker killed at the same time', async () => {
    const project = await openProject({ ownEngine: true }, { LLM_TOOL_TEST_CONTAINMENT: mode });
    await writeGated(project, 'struck');
    const command = project.start(['run', 'struck', '--name', 'struck', '--json']);
    await untilStarted(project, 'struck');
    const claim = join(folderOf(project, 'struck'), 'agent', '1', 'sup');
    expect(readFileSync(claim, 'utf8')).toContain(` ${mode} `);
    const run = await workflowOf(project, 'struck');
    const worker = await until('a worker', () => partOf(project, 'worker'));
    const sweep = client.workflow.getHandle(`sweep/${await sweepOf(project, 'struck')}`);
    const cancel = sweep.executeUpdate('cancel').catch(() => undefined);
    await until('the server knows that the agent is to be cancelled', async () => {
      const { raw } = await run.describe();
      const agent = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'runAgent');
      return agent === undefined || (agent.state as number) === 3 ? true : null;
    });
    killProcess(worker.pid);
    await cancel;
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(130);
    expect(agentsOf(project, 'struck')).toEqual([]);
    expect(linesIn(project, 'struck.starts')).toHaveLength(1);
    const { run: record } = await openRun(documentOf(stdout));
    expect(record).toMatchObject({
      outcome: 'cancelled',
      starts: 1,
      agent: { ending: 'cancelled', starts: 1 },
    });
    expectRemoved(project, 'struck');
  });
});

test('the agent of a terminated run is ended before retry starts another one', async () => {
  await writeGated(project, 'cut');
  const command = project.start(['run', 'cut', '--name', 'cut', '--json']);
  await untilStarted(project, 'cut');
  const first = agentsOf(project, 'cut');
  expect(first).not.toEqual([]);
  await (await workflowOf(project, 'cut')).terminate('by a test');
  const ended = await command;
  expect(ended.exitCode).toBe(3);
  expect(documentOf(ended.stdout).cells[0]?.message).toMatch(/terminated/i);

  const retried = project.start(['retry', documentOf(ended.stdout).sweep, '--json']);
  await untilStarted(project, 'cut', 2);
  expect(agentsOf(project, 'cut').filter((pid) => first.includes(pid))).toEqual([]);
  await letGo(project, 'cut');
  const { exitCode } = await retried;
  expect(exitCode).toBe(0);
  expect(linesIn(project, 'cut.starts')).toHaveLength(2);
  expectRemoved(project, 'cut');
});

test('the agent of a run that is terminated while no worker is alive is ended by the next worker', async () => {
  await writeGated(project, 'orphaned');
  await project.run(['orphaned', '--name', 'orphaned', '--detach']);
  await untilStarted(project, 'orphaned');
  const run = await workflowOf(project, 'orphaned');
  const [keeper, worker] = await Promise.all([
    until('a keeper', () => partOf(project, 'keeper')),
    until('a worker', () => partOf(project, 'worker')),
  ]);
  for (const part of [keeper, worker]) killProcess(part.pid);
  await until('both are dead', () => (isAlive(keeper) || isAlive(worker) ? null : true));
  await run.terminate('by a test');
  expect(agentsOf(project, 'orphaned')).not.toEqual([]);
  expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
  await until('the agent has ended', () => (agentsOf(project, 'orphaned').length === 0 ? true : null));
  await until('all of it is removed', () =>
    readdirSync(join(stateOf(project), 'open-runs')).length === 0 ? true : null,
  );
  expectRemoved(project, 'orphaned');
});

test('an agent is started once and its run passes although ten workers are stopped one after the other', async () => {
  await writeWaiting(project, 'replaced');
  const command = project.start(['run', 'replaced', '--json']);
  await untilStarted(project, 'replaced');
  const attempts = join(folderOf(project, 'replaced'), 'agent-attempts');
  for (let attempt = 1; attempt <= 10; attempt++) {
    const worker = await until('a worker', () => partOf(project, 'worker'));
    killProcess(worker.pid, 'SIGTERM');
    await until('the worker has ended', () => (isAlive(worker) ? null : true));
    await until(`attempt ${attempt + 1}`, () => (existsSync(join(attempts, String(attempt + 1))) ? true : null));
  }
  await letGo(project, 'replaced');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  expect(linesIn(project, 'replaced.starts')).toHaveLength(1);
  const history = await expectWhole(project, documentOf(stdout));
  expect(history.filter((line) => line.includes('ended: worker stopped after'))).toHaveLength(10);
});

test('cancel ends the agent without an error while the worker is frozen', async () => {
  await writeGated(project, 'frozen');
  await project.cli(['engine', 'stop']); // the next engine takes a worker for stuck sooner
  const limits = { LLM_TOOL_TEST_LIMITS: '{"workerSilentMs": 5000}' };
  await project.run(['frozen', '--name', 'frozen', '--detach'], limits);
  await untilStarted(project, 'frozen');
  const worker = await until('a worker', () => partOf(project, 'worker'));
  killProcess(worker.pid, 'SIGSTOP');
  const { exitCode, stdout, stderr } = await project.cli(['cancel', 'frozen', '--json']);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  expect(documentOf(stdout)).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
  expect(agentsOf(project, 'frozen')).toEqual([]);
});

test('a run that is reset while its agent works continues in its folder and adopts the agent', async () => {
  await writeWaiting(project, 'reset');
  const command = project.start(['run', 'reset', '--name', 'reset', '--json']);
  await untilStarted(project, 'reset');
  const run = await workflowOf(project, 'reset');
  const { workflowId, runId } = await run.describe();
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'by a test',
    requestId: randomUUID(),
    ...({ workflowTaskFinishEventId: 4 } as object), // typed as a Long, but any number is accepted
  });
  const folder = folderOf(project, 'reset');
  await until('the step of the next execution', () =>
    readdirSync(join(folder, 'fences')).filter((name) => name.startsWith('agent.')).length === 2 ? true : null,
  );
  expect((await run.describe()).runId).not.toBe(runId);
  expect(await inspect(join(folder, 'agent', '1'))).toEqual({ state: 'running' });
  await letGo(project, 'reset');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  expect(linesIn(project, 'reset.starts')).toHaveLength(1);
  expect(foldersOf(project, 'reset')).toEqual([folder]);
  const history = await expectWhole(project, documentOf(stdout));
  // The result was published by the new execution: it superseded the attempt of the previous one.
  expect(history.at(-1)).toMatch(
    /^start 1 of the agent (was still running; adopted it|had already ended; used its output)$/,
  );
  expectRemoved(project, 'reset');
});

test("runs continue although another engine takes the dead server's port: the worker does not touch them", async () => {
  const [project, other] = [await openProject({ ownServer: true }), await openProject({ ownServer: true })];
  await writeWaiting(project, 'robbed');
  await project.run(['robbed', '--name', 'robbed', '--detach']);
  await untilStarted(project, 'robbed');
  const state = await readEngineState(stateOf(project));
  const port = Number(state?.address.split(':').at(-1));
  await kill(project, 'keeper');
  await kill(project, 'server');
  await preferPort(other, port);
  expect((await other.cli(['engine', 'start'])).exitCode).toBe(0);
  expect((await readEngineState(stateOf(other)))?.address).toBe(state?.address);

  const log = logFile(stateOf(project), 'worker');
  await until('the worker has looked at its runs', () =>
    /has ended without a report|another Temporal server is running/.test(readFileSync(log, 'utf8')) ? true : null,
  );
  expect(await inspect(join(folderOf(project, 'robbed'), 'agent', '1'))).toEqual({ state: 'running' });
  const resumed = project.start(['resume', 'robbed', '--json']);
  await letGo(project, 'robbed');
  const { exitCode, stdout } = await resumed;
  expect(exitCode).toBe(0);
  expect(linesIn(project, 'robbed.starts')).toHaveLength(1);
  await expectWhole(project, documentOf(stdout));
});
