import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Forecast } from '../../src/decide/forecast.js';
import { createProject, type TestProject } from './project.js';
import { addScripted } from './scripted-sides.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject({});
  await addScripted(project, 'sides', { bare: '1', guided: '10' });
});
afterAll(() => project.remove());

const plan = (...args: string[]) => project.cli(['plan', 'sides', ...args]);
const documentOf = async (...args: string[]): Promise<Forecast> =>
  JSON.parse((await plan(...args, '--json')).stdout) as Forecast;

test('a pair of variants is one configuration, and each variant alone is compared with another sweep', async () => {
  const pair = await documentOf('--base', 'bare', '--variants', 'guided');
  expect(pair.configurations.map(({ variants }) => variants)).toEqual([['bare', 'guided']]);
  const alone = await documentOf();
  expect(alone.configurations.map(({ variants }) => variants)).toEqual([['bare'], ['guided']]);
  expect(alone.needed.runs).toBe(4 * alone.needed.runs_each);
});

test('learns pass rate and cost from earlier runs', async () => {
  expect((await documentOf()).configurations[1]).toMatchObject({ earlier: { passed: 0, tested: 0 } });
  await project.run(['sides', '--variants', 'guided', '--repeat', '2']);
  const { configurations } = await documentOf('--variants', 'guided');
  expect(configurations).toMatchObject([{ earlier: { passed: 1, tested: 2 }, pass_rate: 0.5, run_usd: 0 }]);
});

test('says what can be shown for some money, without any agent or key', async () => {
  const { exitCode, stdout } = await plan(
    ...['--agents', 'claude-code', '--pass-rate', '85', '--run-usd', '0.5', '--max-usd', '20'],
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain('for $20.00: 10 runs of each on each side, 40 runs, $20.00; shows a change of');
});

test('says what it takes to show a change of the mean reward of tasks', async () => {
  await project.write('tasks/work/task.toml', '[environment]\ndocker_image = "scratch"\n');
  await project.write('tasks/work/instruction.md', 'Work.\n');
  await project.write('tasks/work/tests/test.sh', '#!/bin/sh\n');
  const { exitCode, stdout } = await project.cli(['plan', 'tasks/work', '--measure', 'reward', '--agents', 'nop']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('to show a change of 20 points of the mean reward in 80 of 100 cases: 92 runs of each');
  expect(stdout).toContain('with run --until-clear --measure reward --effect 20');
  expect(stdout).toMatch(/reward .*\n.* 0\.50 .* assumed, each reward 0 or 1/);
});

test.each([
  [['--measure', 'reward'], 'has no gate of type `verifier` or `step_rewards`, so its runs have no reward'],
  [['--effect', '0'], 'above 0 and below 100'],
  [['--power', '100'], 'expected a percentage above 0 and below 100'],
  [['--base', 'nobody'], "'nobody' is neither a variant"],
  [['--run-usd', '-1'], 'expected a number above 0'],
])('%j is refused: %s', async (args, message) => {
  const { exitCode, stderr } = await plan(...args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
