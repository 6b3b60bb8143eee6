import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { readTextIfThere } from '../../src/host/fs/read-file.js';
import { sweepEnvFile } from '../../src/host/security/sweep-env.js';
import { signalProcess } from '../../src/host/process/process-identity.js';
import { sweepWorkflowId } from '../../src/protocol/index.js';
import { linesIn, partOf, untilLines } from './engine-parts.js';
import { letGo, startsOf, sweepOf, untilStarted, writeGated } from './gated.js';
import { documentOf, EMPTY_FIXTURE, filesBelow, scenario, until, type TestProject } from './project.js';
import { projectWithClient } from './project-with-client.js';

const { project, client } = await projectWithClient(EMPTY_FIXTURE);

/** Resolves when a command has printed the text to stderr. */
const untilSaid = ({ stderr }: ReturnType<TestProject['start']>, text: string): Promise<void> =>
  new Promise((resolve) => {
    let output = '';
    stderr.on('data', (data: Buffer) => {
      output += String(data);
      if (output.includes(text)) resolve();
    });
  });

const workflow = (id: string) => client.workflow.getHandle(id);

test('a sweep with a terminated workflow is resumed only when no run of its previous round is open', async () => {
  await writeGated(project, 'overlap');
  await project.run(['overlap', '--repeat', '2', '--detach', '--name', 'overlap']);
  await untilStarted(project, 'overlap', 2);
  const sweep = await sweepOf(project, 'overlap');
  // Its runs can end only when the worker continues.
  const worker = await until('a worker', () => partOf(project, 'worker'));
  signalProcess(worker, 'SIGSTOP');
  await workflow(sweepWorkflowId(sweep)).terminate('by a test');
  const resuming = project.start(['resume', sweep, '--json']);
  await untilSaid(resuming, 'waiting for 2 runs (overlap/mock/default/default/');
  signalProcess(worker, 'SIGCONT');
  await untilStarted(project, 'overlap', 4);
  await letGo(project, 'overlap');
  const { exitCode, stdout, stderr } = await resuming;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const { cells } = documentOf(stdout);
  expect(cells).toHaveLength(2);
  const begun = await Promise.all(cells.map(({ id }) => workflow(`${sweepWorkflowId(sweep)}/${id}/r2`).describe()));
  const ended = await Promise.all(cells.map(({ id }) => workflow(`${sweepWorkflowId(sweep)}/${id}/r1`).describe()));
  const lastEnd = Math.max(...ended.map(({ closeTime }) => closeTime?.getTime() ?? Infinity));
  for (const { startTime } of begun) expect(startTime.getTime()).toBeGreaterThanOrEqual(lastEnd);
  expect(startsOf(project, 'overlap')).toBe(4);
});

test('retry after the summary but before the workflow has closed waits for the close, then starts a new round', async () => {
  await writeGated(project, 'closing');
  const target = `{binary: cat, health_check: 'test -e ${project.folder}/healthy'}`;
  await project.write('fixtures/unfit.yaml', scenario('unfit', { target, steps: ['say: x'] }));
  const following = project.start(['run', 'unfit', 'closing', '--name', 'closing', '--json']);
  await untilStarted(project, 'closing');
  const sweep = await sweepOf(project, 'closing');
  const shown = await project.cli(['show', sweep, '--json']);
  const summary = { ...documentOf(shown.stdout), status: 'completed' };
  // A state that normally lasts milliseconds: the summary is written, the workflow is still open.
  await project.write(`llm-tool-test-results/sweeps/${sweep}/summary.json`, JSON.stringify(summary));
  await project.write('healthy', '');
  const retrying = project.start(['retry', sweep, '--json']);
  await untilSaid(retrying, `waiting for the workflow of ${sweep} to close`);
  await letGo(project, 'closing');
  expect((await following).exitCode).toBe(3);
  const { exitCode, stdout } = await retrying;
  expect(exitCode).toBe(0);
  expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 2 } });
  expect((await workflow(sweepWorkflowId(sweep)).describe()).memo).toMatchObject({ round: 2 });
  expect(startsOf(project, 'closing')).toBe(1);
});

test('values of --env-file are deleted when the sweep ends: retry accepts the option too, and warns of variables that are not set', async () => {
  const target = `{binary: cat, env: {TOKEN: '\${TOKEN}'}, health_check: 'test "$TOKEN" = right-value'}`;
  await project.write('fixtures/valued.yaml', scenario('valued', { target, steps: ['say: x'] }));
  await project.write('wrong.env', 'TOKEN=wrong-value\n');
  await project.write('right.env', 'TOKEN=right-value\n');
  const first = await project.run(['valued', '--env-file', 'wrong.env', '--name', 'valued']);
  expect(first.document.totals).toMatchObject({ errored: 1 });
  const without = await project.cli(['retry', first.document.sweep, '--json']);
  expect(without).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/warning: not set here: TOKEN;.*--env-file/) as string,
  });
  const missing = await project.cli(['retry', first.document.sweep, '--env-file', 'no.env', '--json']);
  expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'env_file' } });
  const retried = await project.cli(['retry', first.document.sweep, '--env-file', 'right.env', '--json']);
  expect(retried.exitCode).toBe(0);
  expect(retried.stderr).not.toContain('not set here');
  expect(documentOf(retried.stdout).totals).toMatchObject({ passed: 1 });
});

test('resume --env-file replaces a value of a sweep that has not ended: later runs get the new one, and no report shows the old one', async () => {
  const target = "{binary: cat, env: {TOKEN: '${TOKEN}'}}";
  const works = `echo $TOKEN >> ${project.folder}/tokens; echo "I have $TOKEN"; until [ -e ${project.folder}/replaced ]; do sleep 0.05; done`;
  await project.write('fixtures/rotated.yaml', scenario('rotated', { target, steps: [`run: '${works}'`] }));
  await project.write('old.env', 'TOKEN=token-of-old-4711\n');
  await project.write('new.env', 'TOKEN=token-of-new-4712\n');
  const args = ['rotated', '--repeat', '2', '--concurrency', '1', '--no-cache', '--detach', '--name', 'rotated'];
  await project.run([...args, '--env-file', 'old.env']);
  await untilLines(project, 'tokens', 1);
  const resumed = project.start(['resume', 'rotated', '--env-file', 'new.env', '--json']);
  const sweep = await sweepOf(project, 'rotated');
  const env = sweepEnvFile(projectState(project.results, project.state).folder, sweep);
  await until('the value is replaced', async () =>
    ((await readTextIfThere(env)) ?? '').includes('"TOKEN":"token-of-new-4712"') ? true : null,
  );
  await project.write('replaced', '');
  const { exitCode, stdout, stderr } = await resumed;
  expect(exitCode, stderr).toBe(0);
  expect(linesIn(project, 'tokens')).toEqual(['token-of-old-4711', 'token-of-new-4712']);
  const files = await filesBelow(project.results);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(texts.join('\n')).toContain('I have');
  expect(texts.join('\n')).not.toMatch(/token-of-(old|new)/);
  expect(documentOf(stdout).totals).toMatchObject({ passed: 2 });
  expect(await readTextIfThere(env)).toBeNull();
});

test('retry refuses a sweep with a missing stored scenario and names it', async () => {
  const target = "{binary: cat, health_check: 'false'}";
  await project.write('fixtures/stored.yaml', scenario('stored', { target, steps: ['say: x'] }));
  const { document } = await project.run(['stored', '--name', 'stored']);
  const store = join(project.results, '.store');
  await rename(store, `${store}.away`);
  const gone = await project.cli(['retry', document.sweep, '--json']);
  expect(gone.exitCode).toBe(2);
  expect(JSON.parse(gone.stdout)).toMatchObject({
    error: {
      code: 'results_broken',
      message: expect.stringMatching(/\.store\/[0-9a-f]{64} is gone/) as string,
    },
  });
  await rm(store, { recursive: true, force: true });
  await rename(`${store}.away`, store);
  expect(await readdir(store)).not.toEqual([]);
  expect((await project.cli(['retry', document.sweep])).exitCode).toBe(3);
});
