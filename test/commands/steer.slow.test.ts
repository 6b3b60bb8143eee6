import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { updateSweep } from '../../src/client/update-sweep.js';
import { LIMITS } from '../../src/lib/limits.js';
import { readEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { letGo, startsOf, sweepOf, untilStarted, writeGated } from './gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from './project.js';

let project: TestProject;
let client: Client;
/** The session that a command works with. */
async function session() {
  const stateFolder = projectState(project.results, project.state).folder;
  const engine = await readEngineState(stateFolder);
  if (engine === null) throw new Error('no engine');
  return { client, engine, stateFolder, limits: LIMITS, followServer: () => Promise.resolve() };
}

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(async () => {
  await client.connection.close();
  await project.remove();
});

test('cancel from another terminal returns once every agent process has exited', async () => {
  await writeGated(project, 'elsewhere');
  const command = project.start(['run', 'elsewhere', '--name', 'elsewhere', '--json']);
  await untilStarted(project, 'elsewhere');
  const cancelled = await project.cli(['cancel', 'elsewhere', '--json']);
  expect(cancelled.exitCode).toBe(0);
  const document = documentOf(cancelled.stdout);
  expect(document).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
  expect(markedProcesses(opaqueId(document.cells[0]?.results_dir?.split('/').at(-1) ?? ''))).toEqual([]);
  expect((await command).exitCode).toBe(130);
  expect((await project.cli(['resume', 'elsewhere'])).exitCode).toBe(130);
});

test('pause and resume from another terminal take effect while the first command follows the sweep', async () => {
  await writeGated(project, 'remote');
  const command = project.start(['run', 'remote', '--repeat', '2', '--concurrency', '1', '--name', 'remote', '--json']);
  await untilStarted(project, 'remote');
  expect((await project.cli(['pause', 'remote'])).stderr).toContain('paused');
  await letGo(project, 'remote');
  await until('the first run has ended', async () =>
    (await project.resultLines()).some(({ scenario_id }) => scenario_id === 'remote') ? true : null,
  );
  expect(startsOf(project, 'remote')).toBe(1);
  // From the files alone, also if the engine has stopped.
  for (const verb of ['show', 'report'])
    expect((await project.cli([verb, 'remote'])).stdout).toContain('paused, 2 cells: 1 passed, 1 not finished');
  expect((await project.cli(['resume', 'remote'])).exitCode).toBe(0);
  expect((await command).exitCode).toBe(0);
  expect(startsOf(project, 'remote')).toBe(2);
});

test('an update with a lost answer is sent again with the same id, and takes effect once', async () => {
  await writeGated(project, 'unheard');
  await project.run(['unheard', '--detach', '--name', 'unheard']);
  await untilStarted(project, 'unheard');
  const sweep = await sweepOf(project, 'unheard');
  expect((await project.cli(['pause', sweep])).exitCode).toBe(0);
  const sent: (string | undefined)[] = [];
  const losing = new Client({
    connection: client.connection,
    interceptors: {
      workflow: [
        {
          async startUpdate(input, next) {
            const answer = await next(input);
            sent.push(input.options.updateId);
            if (sent.length === 1) throw Object.assign(new Error('the answer was lost'), { code: 14 });
            return answer;
          },
        },
      ],
    },
  });
  // The order is signed: sent as another update it would be refused as already used.
  expect(await updateSweep({ ...(await session()), client: losing }, sweep, 'resume')).toBe('running');
  expect(sent).toEqual([expect.any(String), sent[0]]);
  await letGo(project, 'unheard');
  expect((await project.cli(['resume', sweep])).exitCode).toBe(0);
});

test('--detach returns at once with unfinished cells', async () => {
  await writeGated(project, 'detached');
  const { exitCode, document } = await project.run(['detached', '--detach', '--name', 'detached']);
  expect(exitCode).toBe(0);
  expect(document).toMatchObject({ status: 'running', cells: [{ outcome: null }] });
  await letGo(project, 'detached');
  expect((await project.cli(['resume', 'detached'])).exitCode).toBe(0);
});

test('resume restarts a sweep whose workflow was terminated, with the cells that have no result', async () => {
  await writeGated(project, 'cut');
  const command = project.start(['run', 'cut', '--repeat', '3', '--concurrency', '2', '--name', 'cut']);
  await untilStarted(project, 'cut', 2);
  const sweep = await sweepOf(project, 'cut');
  await client.workflow.getHandle(`sweep/${sweep}`).terminate('by a test');
  const ended = await command;
  expect(ended.exitCode).toBe(3);
  expect(ended.stderr).toContain(`llm-tool-test resume ${sweep}`);
  await letGo(project, 'cut');
  const { exitCode, stdout } = await project.cli(['resume', sweep, '--json']);
  const document = documentOf(stdout);
  expect(document).toMatchObject({ status: 'completed', totals: { passed: 3, cancelled: 0 } });
  expect(exitCode).toBe(0);
});

test('cancel ends a sweep whose workflow was terminated', async () => {
  await writeGated(project, 'stopped');
  await project.run(['stopped', '--detach', '--name', 'stopped']);
  await untilStarted(project, 'stopped');
  const sweep = await sweepOf(project, 'stopped');
  await client.workflow.getHandle(`sweep/${sweep}`).terminate('by a test');
  const { exitCode, stdout } = await project.cli(['cancel', sweep, '--json']);
  expect(exitCode).toBe(0);
  expect(documentOf(stdout).status).toBe('cancelled');
  expect(existsSync(join(project.results, 'sweeps', sweep, 'summary.json'))).toBe(true);
});

test('retry reruns the cells that could not be tested, and with --failed also those that failed', async () => {
  const health = `{binary: cat, health_check: 'test -e ${project.folder}/healthy'}`;
  const gates = [`{type: command_succeeds, command: 'test -e ${project.folder}/good'}`];
  await project.write('fixtures/again.yaml', scenario('again', { target: health, steps: ['say: x'] }));
  await project.write('fixtures/failing.yaml', scenario('failing', { gates, steps: ['say: x'] }));
  const first = await project.run(['again', 'failing', '--name', 'retried']);
  expect(first.document.totals).toMatchObject({ errored: 1, failed: 1 });
  const { sweep } = first.document;

  await project.write('healthy', '');
  await project.write('good', '');
  const retried = await project.cli(['retry', sweep, '--json']);
  expect(retried.exitCode).toBe(1);
  expect(documentOf(retried.stdout).totals).toMatchObject({ cells: 2, passed: 1, failed: 1, errored: 0 });
  const failed = await project.cli(['retry', sweep, '--failed', '--json']);
  expect(failed.exitCode).toBe(0);
  expect(documentOf(failed.stdout).totals).toMatchObject({ cells: 2, passed: 2 });
  expect((await project.resultLines()).filter((line) => line.sweep === sweep)).toHaveLength(4);

  const nothing = await project.cli(['retry', sweep]);
  expect(nothing.exitCode).toBe(0);
  expect(nothing.stderr).toContain('no cells to rerun');
});

describe('a sweep that has ended', () => {
  let ended: SweepDocument;

  beforeAll(async () => {
    await project.write(
      'fixtures/ended.yaml',
      scenario('ended', { gates: ['{type: file_exists, path: README.md}'], steps: ['say: x'] }),
    );
    ({ document: ended } = await project.run(['ended', '--repeat', '2', '--name', 'ended']));
  });

  test('is shown by resume, with its exit code, even if the state folder is missing', async () => {
    for (const env of [{}, { LLM_TOOL_TEST_HOME: join(project.folder, 'no-state') }]) {
      const { exitCode, stdout } = await project.cli(['resume', 'ended', '--json'], env);
      expect(exitCode).toBe(0);
      expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 2 } });
    }
  });

  test('ignores an update that arrives after its end, without an error', async () => {
    expect(await updateSweep(await session(), ended.sweep, 'resume')).toBeNull();
    expect(await updateSweep(await session(), ended.sweep, 'cancel')).toBeNull();
  });

  test('a sweep that closes before it answers an update takes none, and that is no error', async () => {
    const cause = ApplicationFailure.nonRetryable(
      'Workflow Update failed because the Workflow completed before the Update completed.',
      'AcceptedUpdateCompletedWorkflow',
    );
    const closing = new Client({
      connection: client.connection,
      interceptors: {
        workflow: [
          {
            startUpdate: () => Promise.reject(new WorkflowUpdateFailedError('Workflow Update failed', cause)),
          },
        ],
      },
    });
    expect(await updateSweep({ ...(await session()), client: closing }, ended.sweep, 'pause')).toBeNull();
  });

  test('has runs whose record and metrics are printed by show, with --json or as text', async () => {
    const run = ended.cells[0]?.results_dir?.split('/').at(-1) ?? '';
    const { run: record, metrics } = JSON.parse((await project.cli(['show', run, '--json'])).stdout) as {
      run: { run_id: string };
      metrics: { run_id: string };
    };
    expect([record.run_id, metrics.run_id]).toEqual([run, run]);
    const { stdout } = await project.cli(['show', run]);
    expect(stdout).toMatch(/ended/);
    expect(stdout).toMatch(/gate 1/);
  });

  test('is shown even if the folder of a run was removed', async () => {
    await rm(ended.cells[1]?.results_dir ?? '', { recursive: true });
    expect((await project.cli(['show', 'ended'])).exitCode).toBe(0);
  });
});
