import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Firing, type ScheduleSummary } from '../../src/decide/documents/firing.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

const GOOD = '#!/bin/sh\n[ "$1" = --version ] && exit\necho milk > notes.md\n';
const BROKEN = '#!/bin/sh\n[ "$1" = --version ] && exit\nexit 2\n';
const FOLDER = 'llm-tool-test-results/schedules/nightly';

let project: TestProject;
beforeAll(async () => {
  const gates = (file: string) => [`{type: file_exists, path: ${file}}`];
  const target = '{binary: ../bin/notes, files: []}';
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', { target, gates: gates('notes.md'), steps: ['run: notes'] }),
    'fixtures/lists.yaml': scenario('lists', { target, gates: gates('README.md'), steps: ['run: notes'] }),
  });
  await project.write('bin/notes', GOOD, 0o755);
});
afterAll(async () => {
  // The Temporal server is that of all tests.
  await project.cli(['schedule', 'delete', 'nightly']);
  await project.remove();
});

const schedule = (...args: string[]) => project.cli(['schedule', ...args]);
async function night(): Promise<Firing> {
  const { exitCode, stdout } = await schedule('trigger', 'nightly', '--wait', '--json');
  const firing = Firing.parse(JSON.parse(stdout));
  expect(firing.exit_code).toBe(exitCode);
  expect(await project.read(`${FOLDER}/exit-code`)).toBe(`${exitCode}\n`);
  return firing;
}

test('a week: a fall on night 4 stays red until night 6 is accepted; each night starts its agents', async () => {
  const nothing = await schedule('accept', 'nightly', '--json');
  expect([nothing.exitCode, JSON.parse(nothing.stdout)]).toMatchObject([2, { error: { code: 'unknown_schedule' } }]);
  const options = ['--repeat', '6', '--fail-on', 'worse', '--junit', 'out/junit.xml'];
  await schedule('create', 'nightly', 'notes', 'lists', '--cron', '0 3 * * *', ...options);
  const early = await schedule('accept', 'nightly');
  expect([early.exitCode, early.stderr]).toEqual([
    2,
    expect.stringContaining('no night of nightly has ended yet') as string,
  ]);

  const first = await night();
  expect(first).toMatchObject({ exit_code: 0, verdict: null, compared_with: null });
  for (const good of [await night(), await night()])
    expect(good).toMatchObject({ verdict: 'not shown', compared_with: first.sweep, totals: { cached: 0 } });

  await project.write('bin/notes', BROKEN, 0o755);
  const fallen = await night();
  const later = [await night(), await night()];
  for (const red of [fallen, ...later]) {
    expect(red).toMatchObject({
      exit_code: 1,
      verdict: 'worse',
      compared_with: first.sweep,
      nights: { state: 'loss', since: { sweep: fallen.sweep }, configurations: [{ scenario: 'notes' }] },
    });
    expect(red.text).toContain(`worse since ${fallen.sweep}`);
  }
  for (const file of [`${FOLDER}/junit.xml`, 'out/junit.xml'])
    expect(await project.read(file)).toContain(`<failure type="worse" message="worse since ${fallen.sweep}`);
  expect((await schedule('list')).stdout).toContain(`worse since ${fallen.sweep}`);

  const wrong = await schedule('accept', 'nightly', '--night', `${first.sweep}x`);
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining(`did you mean '${first.sweep}'`) as string,
  ]);
  const accepted = await schedule('accept', 'nightly', '--json');
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    reference: { sweep: later[1]?.sweep },
    latest: {
      exit_code: 0,
      verdict: 'not worse',
      text: expect.stringContaining('accepted as the reference') as string,
    },
  });
  expect(await project.read(`${FOLDER}/exit-code`)).toBe('0\n');
  expect(await project.read(`${FOLDER}/junit.xml`)).not.toContain('type="worse"');

  expect(await night()).toMatchObject({
    exit_code: 0,
    verdict: 'not shown',
    compared_with: later[1]?.sweep,
    nights: { accepted: true, state: 'no loss', nights: 2 },
  });
  const shown = JSON.parse((await schedule('show', 'nightly', '--json')).stdout) as ScheduleSummary & {
    nights: Firing[];
  };
  expect(shown.nights.map(({ verdict }) => verdict)).toEqual([
    ...[null, 'not shown', 'not shown', 'worse', 'worse', 'not worse', 'not shown'],
  ]);
  expect(shown.reference?.sweep).toBe(later[1]?.sweep);
  expect((await schedule('show', 'nightly')).stdout).toMatch(/worse, a loss begins/);
});

test('a night that tested nothing is not accepted, and does not hide a loss', async () => {
  await rm(join(project.folder, 'bin/notes'));
  expect(await night()).toMatchObject({ verdict: 'not tested', exit_code: 3 });
  const { exitCode, stderr } = await schedule('accept', 'nightly');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot be the reference') as string]);
});
