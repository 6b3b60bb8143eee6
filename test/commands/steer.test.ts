import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { updateSweep } from '../../src/commands/steer-sweep.js';
import { markedProcesses } from '../../src/platform/marked-processes.js';
import type { SweepDocument } from '../../src/results/sweep-document.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, until, type TestProject } from './project.js';

let project: TestProject;
let client: Client;

/** Each agent notes its start, then waits for a file before it ends. */
const gated = (name: string, folder: string): string =>
  scenario(name, {
    gates: ['{type: file_exists, path: README.md}'],
    steps: [
      `run: 'echo start >> ${folder}/${name}.starts; until [ -e ${folder}/${name}.go ]; do sleep 0.05; done'`,
    ],
  });

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(async () => {
  await client.connection.close();
  await project.remove();
});

const starts = (name: string): number => {
  const file = join(project.folder, `${name}.starts`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const running = (name: string, count = 1): Promise<true> =>
  until(`${count} agents of ${name} run`, () => (starts(name) >= count ? true : null));
const go = (name: string): Promise<void> => project.write(`${name}.go`, '');
const sweepOf = async (name: string): Promise<string> => {
  const sweeps = await readdir(join(project.results, 'sweeps'));
  const found = sweeps.find((sweep) => sweep.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`no sweep ${name} among ${sweeps.join(', ')}`);
  return found;
};
const documentOf = (stdout: string): SweepDocument => JSON.parse(stdout) as SweepDocument;

test('the first Ctrl-C pauses: running agents finish, no new cell starts, exit 130; resume runs the rest', async () => {
  await project.write('fixtures/pausing.yaml', gated('pausing', project.folder));
  const command = project.start([
    'run',
    'pausing',
    '--repeat',
    '3',
    '--concurrency',
    '1',
    '--name',
    'pausing',
    '--json',
  ]);
  await running('pausing');
  command.kill('SIGINT');
  const sweep = await sweepOf('pausing');
  const handle = client.workflow.getHandle(`sweep/${sweep}`);
  await until('the sweep is paused', async () =>
    (await handle.query<{ status: string }>('progress')).status === 'paused' ? true : null,
  );
  await go('pausing');
  const ended = await command;
  expect(ended.exitCode).toBe(130);
  expect(documentOf(ended.stdout)).toMatchObject({ status: 'paused', totals: { passed: 1, cells: 3 } });
  expect(ended.stderr).toContain(`llm-tool-test resume ${sweep}`);
  expect(starts('pausing')).toBe(1);

  const resumed = await project.cli(['resume', sweep, '--json']);
  expect(resumed.exitCode).toBe(0);
  expect(documentOf(resumed.stdout)).toMatchObject({ status: 'completed', totals: { passed: 3 } });
  expect(starts('pausing')).toBe(3);
});

test('the second Ctrl-C cancels: agents are killed with all they started, and the report says so', async () => {
  await project.write(
    'fixtures/ending.yaml',
    gated('ending', project.folder).replace("run: 'echo", "run: 'setsid sleep 299 & echo"),
  );
  const command = project.start([
    'run',
    'ending',
    '--repeat',
    '4',
    '--concurrency',
    '2',
    '--name',
    'ending',
    '--json',
  ]);
  await running('ending', 2);
  command.kill('SIGINT');
  const handle = client.workflow.getHandle(`sweep/${await sweepOf('ending')}`);
  await until('the sweep is paused', async () =>
    (await handle.query<{ status: string }>('progress')).status === 'paused' ? true : null,
  );
  command.kill('SIGINT');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(130);
  const document = documentOf(stdout);
  expect(document.status).toBe('cancelled');
  expect(document.totals).toMatchObject({ cancelled: 2, cells: 4 });
  expect(document.cells.filter(({ outcome }) => outcome === null)).toHaveLength(2);
  const { run } = await openRun(document);
  expect(run.steps.find(({ name }) => name === 'gate 1')).toMatchObject({
    status: 'not_performed',
    note: 'the run was cancelled',
  });
  for (const { results_dir } of document.cells) {
    if (results_dir !== null) expect(markedProcesses(results_dir.split('/').at(-1) ?? '')).toEqual([]);
  }
  expect(starts('ending')).toBe(2);
});

test('with CI set the first signal cancels', async () => {
  await project.write('fixtures/inci.yaml', gated('inci', project.folder));
  const command = project.start(['run', 'inci', '--json'], { CI: 'true' });
  await running('inci');
  command.kill('SIGTERM');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(130);
  expect(documentOf(stdout)).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
});

test('cancel from another terminal returns when nothing of the agents is alive', async () => {
  await project.write('fixtures/elsewhere.yaml', gated('elsewhere', project.folder));
  const command = project.start(['run', 'elsewhere', '--name', 'elsewhere', '--json']);
  await running('elsewhere');
  const cancelled = await project.cli(['cancel', 'elsewhere', '--json']);
  expect(cancelled.exitCode).toBe(0);
  const document = documentOf(cancelled.stdout);
  expect(document).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
  expect(markedProcesses(document.cells[0]?.results_dir?.split('/').at(-1) ?? '')).toEqual([]);
  expect((await command).exitCode).toBe(130);
  expect((await project.cli(['resume', 'elsewhere'])).exitCode).toBe(130);
});

test('pause and resume from another terminal, while the command follows on', async () => {
  await project.write('fixtures/remote.yaml', gated('remote', project.folder));
  const command = project.start([
    'run',
    'remote',
    '--repeat',
    '2',
    '--concurrency',
    '1',
    '--name',
    'remote',
    '--json',
  ]);
  await running('remote');
  expect((await project.cli(['pause', 'remote'])).stderr).toContain('paused');
  await go('remote');
  await until('the first run has ended', async () =>
    (await project.resultLines()).some(({ scenario_id }) => scenario_id === 'remote') ? true : null,
  );
  expect(starts('remote')).toBe(1);
  expect((await project.cli(['resume', 'remote'])).exitCode).toBe(0);
  expect((await command).exitCode).toBe(0);
  expect(starts('remote')).toBe(2);
});

test.each([
  { how: 'SIGKILL of the command', signal: 'SIGKILL', name: 'orphan', exitCode: undefined },
  { how: 'SIGHUP, as of a closed terminal,', signal: 'SIGHUP', name: 'hungup', exitCode: 129 },
] as const)(
  '$how changes nothing: the sweep goes on, and resume follows it again',
  async ({ signal, name, exitCode }) => {
    await project.write(`fixtures/${name}.yaml`, gated(name, project.folder));
    const command = project.start(['run', name, '--name', name]);
    await running(name);
    command.kill(signal);
    expect((await command).exitCode).toBe(exitCode);
    const resumed = project.start(['resume', name, '--json']);
    await go(name);
    const ended = await resumed;
    expect(ended.exitCode).toBe(0);
    expect(documentOf(ended.stdout).totals.passed).toBe(1);
    expect(starts(name)).toBe(1);
  },
);

test('--detach returns at once with unfinished cells', async () => {
  await project.write('fixtures/detached.yaml', gated('detached', project.folder));
  const { exitCode, document } = await project.run(['detached', '--detach', '--name', 'detached']);
  expect(exitCode).toBe(0);
  expect(document).toMatchObject({ status: 'running', cells: [{ outcome: null }] });
  await go('detached');
  expect((await project.cli(['resume', 'detached'])).exitCode).toBe(0);
});

test('a sweep whose workflow was terminated is started again by resume with the cells that have no result', async () => {
  await project.write('fixtures/cut.yaml', gated('cut', project.folder));
  const command = project.start(['run', 'cut', '--repeat', '3', '--concurrency', '2', '--name', 'cut']);
  await running('cut', 2);
  const sweep = await sweepOf('cut');
  await client.workflow.getHandle(`sweep/${sweep}`).terminate('by a test');
  const ended = await command;
  expect(ended.exitCode).toBe(3);
  expect(ended.stderr).toContain(`llm-tool-test resume ${sweep}`);
  await go('cut');
  const { exitCode, stdout } = await project.cli(['resume', sweep, '--json']);
  const document = documentOf(stdout);
  expect(document).toMatchObject({ status: 'completed', totals: { passed: 3, cancelled: 0 } });
  expect(exitCode).toBe(0);
});

test('cancel of a sweep whose workflow was terminated ends it all the same', async () => {
  await project.write('fixtures/stopped.yaml', gated('stopped', project.folder));
  await project.run(['stopped', '--detach', '--name', 'stopped']);
  await running('stopped');
  const sweep = await sweepOf('stopped');
  await client.workflow.getHandle(`sweep/${sweep}`).terminate('by a test');
  const { exitCode, stdout } = await project.cli(['cancel', sweep, '--json']);
  expect(exitCode).toBe(0);
  expect(documentOf(stdout).status).toBe('cancelled');
  expect(existsSync(join(project.results, 'sweeps', sweep, 'summary.json'))).toBe(true);
});

test('resume of an ended sweep shows it with its exit code, also when the state folder is gone', async () => {
  const { exitCode } = await project.cli(['resume', 'pausing']);
  expect(exitCode).toBe(0);
  const shown = await project.cli(['show', 'pausing', '--json']);
  expect(documentOf(shown.stdout)).toMatchObject({ status: 'completed', totals: { passed: 3 } });
});

test('a sweep that ends between a look at it and an update takes none, and that is no error', async () => {
  const sweep = await sweepOf('pausing');
  expect(await updateSweep({ client }, sweep, 'resume')).toBeNull();
  expect(await updateSweep({ client }, sweep, 'cancel')).toBeNull();
});

test('show of a run gives its record and metrics, and reads well without --json', async () => {
  const document = documentOf((await project.cli(['show', 'pausing', '--json'])).stdout);
  const run = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
  const { run: record, metrics } = JSON.parse((await project.cli(['show', run, '--json'])).stdout) as {
    run: { run_id: string };
    metrics: { run_id: string };
  };
  expect([record.run_id, metrics.run_id]).toEqual([run, run]);
  const { stdout } = await project.cli(['show', run]);
  expect(stdout).toMatch(/pausing/);
  expect(stdout).toMatch(/gate 1/);
});

test('a run folder that was removed does not break show of its sweep', async () => {
  const document = documentOf((await project.cli(['show', 'detached', '--json'])).stdout);
  await rm(document.cells[0]?.results_dir ?? '', { recursive: true });
  expect((await project.cli(['show', 'detached'])).exitCode).toBe(0);
});

test('retry runs the cells again that could not be tested, and with --failed those that failed', async () => {
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
  expect(nothing.stderr).toContain('no cell to run again');
});
