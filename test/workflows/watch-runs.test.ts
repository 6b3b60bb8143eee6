import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { noteOpenRun, openRuns } from '../../src/activities/step/open-runs.js';
import type { Deps } from '../../src/activities/step/deps.js';
import { watchRuns, type Watch } from '../../src/activities/watch/watch-runs.js';
import { local } from '../../src/environments/local.js';
import { opaqueId, stateOfRun } from '../../src/store/results-folder.js';
import { sweepWorkflowId, WORKFLOWS, type RunRef } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { PATH } from '../environments/places.js';
import { killWhenFinished, processesWith, running, uniqueSeconds } from '../host/processes.js';
import { newFolder } from '../host/temporary.js';
import { eventually, quietRuntime } from './harness.js';
import { cell } from './stub-activities.js';

let native: NativeConnection;
let client: Client;

beforeAll(async () => {
  quietRuntime();
  native = await NativeConnection.connect({ address: inject('temporalAddress') });
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(async () => {
  await native.close();
  await client.connection.close();
});

interface Watched {
  deps: Deps;
  run: RunRef;
  watch: Watch;
  lines: string[];
  workflow: WorkflowHandle;
  sweep: WorkflowHandle;
  /** Identifies the command line of the agent. */
  seconds: string;
  workspace: string;
}

/** A run and its sweep without a worker, and an agent of the run that no activity follows. */
async function watched(): Promise<Watched> {
  const root = await newFolder();
  const deps: Deps = {
    resultsPath: join(root, 'results'),
    stateFolder: join(root, 'state'),
    server: 'own',
    isOwnServer,
  };
  const name = `watched-${randomUUID().slice(0, 8)}`;
  const started = (workflowId: string, type: string) =>
    client.workflow.start(type, { workflowId, taskQueue: name, args: [] });
  const sweep = await started(sweepWorkflowId(name), WORKFLOWS.sweep);
  const workflow = await started(`run/${name}`, WORKFLOWS.run);
  const { workflowId, firstExecutionRunId: firstRunId } = workflow;
  const run: RunRef = { sweep: name, cell: cell(), run: name, workflowId, firstRunId, proof: '' };
  noteOpenRun(deps, run);
  const runRoot = stateOfRun(deps.stateFolder, name);
  const workspace = join(runRoot, 'workspace');
  mkdirSync(join(runRoot, 'login', '1'), { recursive: true });
  mkdirSync(workspace);
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  await local.start(
    {
      type: 'local',
      root: runRoot,
      workspace,
      journal: join(runRoot, 'agent'),
      mark: opaqueId(name),
      hidden: [],
      project: null,
    },
    {
      start: 1,
      argv: ['sleep', seconds],
      env: { PATH },
      stdin: '',
      files: [],
      deadlineSecs: 600,
      idleSecs: null,
    },
  );
  await running(seconds);
  const lines: string[] = [];
  const watch = watchRuns(deps, new Client({ connection: native }), (line) => lines.push(line));
  return { deps, run, watch, lines, workflow, sweep, seconds, workspace };
}

/** Expects that the agent is gone, and everything of the run except what the agent printed. */
async function expectEnded({ deps, lines, seconds, workspace }: Watched): Promise<void> {
  expect(processesWith(seconds)).toEqual([]);
  expect(existsSync(workspace)).toBe(false);
  expect(existsSync(join(workspace, '..', 'login'))).toBe(false);
  expect(existsSync(join(workspace, '..', 'agent', '1', 'out'))).toBe(true);
  expect(await openRuns(deps)).toEqual([]);
  expect(lines).toHaveLength(1);
}

async function expectLeft({ deps, run, seconds, workspace }: Watched): Promise<void> {
  expect(processesWith(seconds)).not.toEqual([]);
  expect(existsSync(workspace)).toBe(true);
  expect(await openRuns(deps)).toEqual([run]);
}

it('leaves a run alone while its workflow is open, no matter how often it is checked', async () => {
  const one = await watched();
  await one.watch.round(true);
  await one.watch.round(false);
  await one.watch.look(one.run.workflowId);
  await expectLeft(one);
  expect((await one.workflow.describe()).raw.workflowExtendedInfo?.cancelRequested).toBe(false);
});

it('stops the agent of a run with a terminated workflow, and removes workspace and lent login', async () => {
  const one = await watched();
  await one.workflow.terminate('by a test');
  await one.watch.round(false);
  await expectEnded(one);
});

it('cleans up ended runs of a cell before another agent is started for it', async () => {
  const one = await watched();
  await one.workflow.terminate('by a test');
  await one.watch.lookAtOthers({ ...one.run, cell: cell(2), run: 'of another cell' });
  await expectLeft(one);
  await one.watch.lookAtOthers({ ...one.run, run: 'the next round' });
  await expectEnded(one);
});

it('a run with a workflow that the server does not know has ended: the database is gone', async () => {
  const one = await watched();
  const unknown = { ...one.run, cell: cell(2), workflowId: `unknown/${one.run.workflowId}` };
  noteOpenRun(one.deps, unknown);
  await one.watch.look(unknown.workflowId);
  expect(processesWith(one.seconds)).toEqual([]);
});

it('concludes nothing from another server that has taken the port', async () => {
  const one = await watched();
  const deps = { ...one.deps, isOwnServer: () => Promise.resolve(false) };
  const unknown = { ...one.run, cell: cell(2), workflowId: `unknown/${one.run.workflowId}` };
  noteOpenRun(deps, unknown);
  const watch = watchRuns(deps, new Client({ connection: native }), () => expect.unreachable());
  await watch.look(unknown.workflowId);
  await watch.round(true);
  expect(processesWith(one.seconds)).not.toEqual([]);
  expect(await openRuns(deps)).toHaveLength(2);
});

it('leaves a run of another server alone', async () => {
  const one = await watched();
  await one.workflow.terminate('by a test');
  const other = watchRuns({ ...one.deps, server: 'elsewhere/default' }, new Client({ connection: native }), () =>
    expect.unreachable(),
  );
  await other.round(true);
  await expectLeft(one);
});

it('concludes nothing from a server that does not answer', async () => {
  const one = await watched();
  await one.workflow.terminate('by a test');
  const away = await Connection.connect({ address: inject('temporalAddress') });
  await away.close();
  await watchRuns(one.deps, new Client({ connection: away }), () => undefined).round(true);
  await expectLeft(one);
});

it('cancels a run that has lost its sweep, and lets it report that', async () => {
  const one = await watched();
  await one.sweep.terminate('by a test');
  await one.watch.round(false);
  await eventually(async () =>
    expect((await one.workflow.describe()).raw.workflowExtendedInfo?.cancelRequested).toBe(true),
  );
  await expectLeft(one);
});

it('does not mistake another workflow with the same id for a run that has ended', async () => {
  const one = await watched();
  const { workflowId } = one.run;
  await one.workflow.terminate('by a test');
  await client.workflow.start(WORKFLOWS.run, { workflowId, taskQueue: one.run.sweep, args: [] });
  await one.watch.round(false);
  await expectEnded(one);
});
