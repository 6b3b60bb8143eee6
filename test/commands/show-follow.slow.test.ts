import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRunOf, printed, untilPrinted } from './following.js';
import { gatedCommand, letGo, startsOf, sweepOf, untilStarted, writeGated } from './gated.js';
import { createProject, EMPTY_FIXTURE, until } from './project.js';

const project = await createProject(EMPTY_FIXTURE);
afterAll(() => project.remove());

test('with --json the events go to stderr', async () => {
  await writeGated(project, 'asjson', { steps: ['say: hello', `run: '${gatedCommand(project, 'asjson')}'`] });
  const command = project.start(['run', 'asjson', '--json']);
  await untilStarted(project, 'asjson');
  const following = project.start(['show', await openRunOf(project, 'asjson'), '--follow', '--json']);
  await untilPrinted(printed(following).stderr, 'hello');
  await letGo(project, 'asjson');
  expect(JSON.parse((await following).stdout)).toMatchObject({ run: { outcome: 'pass' } });
  await command;
});

test('Ctrl-C ends the following of a run or a sweep, which goes on', async () => {
  await writeGated(project, 'watched');
  const command = project.start(['run', 'watched', '--name', 'watched', '--json']);
  await untilStarted(project, 'watched');
  for (const id of [await openRunOf(project, 'watched'), await sweepOf(project, 'watched')]) {
    const following = project.start(['show', id, '--follow']);
    const { stderr } = printed(following);
    await untilPrinted(stderr, 'Ctrl-C stops watching');
    following.kill('SIGINT');
    expect((await following).exitCode).toBe(130);
  }
  const toTheEnd = project.start(['show', 'latest', '--follow']);
  await untilPrinted(printed(toTheEnd).stderr, 'Ctrl-C stops watching');
  await letGo(project, 'watched');
  const { exitCode, stdout, stderr } = await toTheEnd;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('[1/1] pass');
  expect(stdout).toBe((await project.cli(['show', 'latest'])).stdout);
  expect((await command).exitCode).toBe(0);
  expect(startsOf(project, 'watched')).toBe(1);
});

test('an id of no run is refused, with the runs that can be followed', async () => {
  await writeGated(project, 'other');
  const command = project.start(['run', 'other', '--json']);
  await untilStarted(project, 'other');
  const { exitCode, stderr } = await project.cli(['show', 'nothing', '--follow']);
  expect(exitCode).toBe(2);
  const open = await openRunOf(project, 'other');
  expect(stderr).toContain(`now running: ${open}`);
  const shown = await project.cli(['show', open]);
  expect([shown.exitCode, shown.stderr]).toEqual([
    2,
    expect.stringContaining(`${open} is not over; add --follow to see what its agent does`),
  ]);
  await letGo(project, 'other');
  await command;
});

test('show of a run says which step fails and is tried again', async () => {
  await writeGated(project, 'stuck');
  const command = project.start(['run', 'stuck', '--json']);
  await untilStarted(project, 'stuck');
  const run = await openRunOf(project, 'stuck');
  const artifacts = join(project.folder, 'llm-tool-test-results', run, 'artifacts');
  await rm(artifacts, { recursive: true, force: true });
  await writeFile(artifacts, '');
  await letGo(project, 'stuck');
  const said = await until('the trouble is said', async () => {
    const { stderr } = await project.cli(['show', run]);
    return stderr.includes('attempt') ? stderr : null;
  });
  expect(said).toMatch(/^agent: attempt \d+: ENOTDIR/m);
  expect(said).toContain(`${run} is not over`);
  await rm(artifacts);
  expect((await command).exitCode).toBe(0);
});
