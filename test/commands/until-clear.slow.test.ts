import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, documentOf, type TestProject } from './project.js';
import { addScripted } from './scripted-sides.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject({});
  await addScripted(project, 'clear', { good: '1', bad: '0' });
  await addScripted(project, 'three', { good: '1', b: '1', c: '1' });
  await addScripted(project, 'single', { other: '1' });
});
afterAll(() => project.remove());

const run = (...args: string[]) => project.cli(['run', ...args]);

test('--until-clear --base stops when the verdict is clear, and its exit code says which', async () => {
  const { exitCode, document } = await project.run([
    ...['clear', '--until-clear', '--base', 'good', '--max-runs', '12', '--concurrency', '8'],
  ]);
  expect(exitCode).toBe(1);
  expect(document.decision).toMatchObject({ verdict: 'worse', stopped: 'clear', most_runs: 24 });
  expect(document.cells).toHaveLength(document.decision?.runs ?? 0);
  expect(document.cells.length).toBeLessThan(24);
  const shown = await project.cli(['show', document.sweep, '--json']);
  expect(documentOf(shown.stdout).decision).toEqual(document.decision);
});

test('--effect gives up when such a change is unlikely to be found, and retry has nothing to do', async () => {
  await addScripted(project, 'alike', { one: '10', two: '10' });
  const args = ['alike', '--until-clear', '--base', 'one', '--effect', '60', '--max-runs', '8'];
  const { exitCode, document } = await project.run([...args, '--concurrency', '8']);
  expect(exitCode).toBe(4);
  expect(document.decision).toMatchObject({ verdict: 'undecided', stopped: 'futile', most_runs: 16 });
  expect(document.decision?.effect?.power).toBeLessThan(0.2);
  expect(document.cells.length).toBeLessThan(16);
  const shown = await project.cli(['show', document.sweep]);
  expect(shown.stdout).toContain('the runs left would show a change of 60 points in only');
});

test('each start of the same question has what earlier ones and comparisons have left, and says so', async () => {
  await addScripted(project, 'again', { one: '10', two: '10' });
  const args = ['again', '--until-clear', '--base', 'one', '--max-runs', '6', '--concurrency', '8'];
  const first = await project.run(args);
  expect(first.document.decision).toMatchObject({ verdict: 'undecided', alpha: 0.05 });
  expect(first.document.decision?.spent_before).toBeUndefined();
  const shown = JSON.parse((await run(...args, '--dry-run', '--json')).stdout) as unknown;
  const by = [first.document.sweep];
  const spent_before = { of_alpha: 0.05, spent: 0.05, by };
  expect(shown).toMatchObject({ until_clear: { alpha: 0.004545, spent_before } });
  const planned = await project.cli(['plan', 'again', '--base', 'one', '--json']);
  expect(JSON.parse(planned.stdout)).toMatchObject({ until_clear: { alpha: 0.004545, spent_before } });
  const second = await project.run(args);
  expect(second.stderr).toContain(`this question was asked before, in ${first.document.sweep}`);
  expect(second.document.decision).toMatchObject({ alpha: 0.004545, spent_before });
  const compared = await project.cli([
    'compare',
    second.document.sweep,
    second.document.sweep,
    '--variants',
    'one,two',
    '--json',
  ]);
  expect(JSON.parse(compared.stdout)).toMatchObject({
    ...{ alpha: 0.004545, next_start_alpha: 0.0004136 },
    total: { sequential: true },
  });
  const { exitCode, stderr } = await run('again', '--until-clear', '--base', 'one', '--max-runs', '4');
  expect(stderr).toContain('no difference could be shown, at the 0.00041 that');
  expect(exitCode).toBe(2);
  // A new build is a new question.
  await project.write('bin/tool', `${await project.read('bin/tool')}# new\n`, 0o755);
  expect(JSON.parse((await run(...args, '--dry-run', '--json')).stdout)).toMatchObject({
    until_clear: { alpha: 0.05 },
  });
});

test('a start after a comparison has what that left', async () => {
  await addScripted(project, 'compared', { one: '10', two: '10' });
  const { document } = await project.run(['compared', '--repeat', '4', '--concurrency', '8']);
  const args = ['compared', '--until-clear', '--base', 'one', '--max-runs', '6', '--concurrency', '8', '--dry-run'];
  expect(JSON.parse((await run(...args, '--json')).stdout)).toMatchObject({
    until_clear: { alpha: 0.01364, spent_before: { of_alpha: 0.05, spent: 0.04, by: [document.sweep] } },
  });
});

test('--dry-run says how much it may take at most, and with what it is compared', async () => {
  const args = ['clear', '--until-clear', '--base', 'good', '--max-runs', '8', '--margin', '10', '--dry-run'];
  const { stdout } = await run(...args, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    until_clear: { base: 'good', margin: 10, most_runs: 16, most_runs_each: 8, most_usd: 0 },
  });
  expect((await run(...args)).stdout).toMatch(/^at most 16 cells.*\ncompared with good .*at most 8 runs/);
});

test.each([
  [['clear', '--until-clear'], 'name what to compare with'],
  [['clear', '--base', 'good'], '--base has an effect only with --until-clear'],
  [['clear', '--effect', '10'], '--effect has an effect only with --until-clear'],
  [['clear', '--until-clear', '--base', 'good', '--effect', '10', '--margin', '10'], 'leave out one of them'],
  [['clear', '--margin', '10'], '--margin has an effect only with --until-clear'],
  [['clear', '--measure', 'reward'], '--measure has an effect only with --until-clear'],
  [
    ['clear', '--until-clear', '--base', 'good', '--measure', 'reward'],
    '--measure reward: clear good has no gate of type `verifier` or `step_rewards`, so its runs have no reward',
  ],
  [['clear', '--until-clear', '--base', 'good', '--measure', 'score'], 'Allowed choices are passes, reward.'],
  [
    ['clear', '--until-clear', '--base', 'nobody'],
    "'nobody' is neither a variant of these scenarios (good, bad) nor a sweep",
  ],
  [['three', '--until-clear', '--base', 'good'], 'expected one other variant, found b, c; name one with --variants'],
  [['clear', '--variants', 'good', '--until-clear', '--base', 'good'], "only the variant 'good' is selected"],
  [['clear', 'single', '--variants', 'bad,other', '--until-clear', '--base', 'good'], 'found bad, other'],
  [['clear', '--until-clear', '--base', 'good', '--max-runs', '2'], 'no difference could be shown; raise --max-runs'],
  [['clear', '--until-clear', '--base', 'good', '--repeat', '2'], '--repeat cannot be used with --until-clear'],
  [['clear', '--until-clear', '--base', 'good', '--margin', '100'], 'above 0 and below 100'],
])('%j is refused before anything is started: %s', async (args, message) => {
  const { exitCode, stderr } = await run(...args);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});
