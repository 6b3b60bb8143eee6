import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sweepWorkflowId } from '../../src/protocol/index.js';
import { kill, partOf } from '../commands/engine-parts.js';
import { documentOf, until, type TestProject } from '../commands/project.js';
import { projectWithClient } from '../commands/project-with-client.js';
import { addScripted } from '../commands/scripted-sides.js';

const { project, client } = await projectWithClient({}, { ownEngine: true });
/** A new history of the sweep begins after every third cell. */
const SHORT_HISTORIES = { LLM_TOOL_TEST_LIMITS: '{"cellsPerHistory": 3}' };
const ARGS = ['run', 'falls', 'stays', '--until-clear', '--base', 'base', '--json'];

beforeAll(async () => {
  // Constant outcomes: a kill may make a health check happen twice, which would shift others.
  await addScripted(project, 'falls', { base: '1', head: '0' });
  await addScripted(project, 'stays', { base: '1', head: '1' });
});

/** The worker and the command are killed when so many runs have ended, and the workflow is terminated at last. */
const KILLS_AT = [3, 9];
const TERMINATION_AT = 15;

test('a sweep that is killed between and during its rounds, and resumed, decides the same', async () => {
  const calm = documentOf((await project.cli(ARGS)).stdout);
  expect(calm.decision).toMatchObject({ verdict: 'worse', stopped: 'clear' });
  expect(calm.decision?.runs).toBeGreaterThan(TERMINATION_AT);

  // A second sweep would have what the first has left of alpha.
  await project.cli(['clean', '--older-than', '0d']);

  let command = project.start([...ARGS, '--name', 'stormy'], SHORT_HISTORIES);
  const sweep = await until(
    'a plan',
    async () =>
      (await readdir(join(project.results, 'sweeps')).catch(() => [])).find((id) => id.startsWith('stormy')) ?? null,
  );
  for (const count of KILLS_AT) {
    await untilEnded(project, sweep, count);
    await kill(project, 'worker');
    command.kill('SIGKILL');
    await command;
    command = project.start(['resume', sweep, '--json'], SHORT_HISTORIES);
    await until('a worker', () => partOf(project, 'worker'));
  }
  await untilEnded(project, sweep, TERMINATION_AT);
  await client.workflow.getHandle(sweepWorkflowId(sweep)).terminate('by a test');
  await command;
  const { exitCode, stdout } = await project.cli(['resume', sweep, '--json'], SHORT_HISTORIES);
  expect(exitCode).toBe(1);
  const stormy = documentOf(stdout);
  expect(stormy.decision).toEqual(calm.decision);
  expect(stormy.cells.map(({ id, outcome }) => [id, outcome])).toEqual(
    calm.cells.map(({ id, outcome }) => [id, outcome]),
  );
  const lines = (await project.resultLines()).filter((line) => line.sweep === sweep);
  const decided = lines.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  expect(decided).toHaveLength(calm.decision?.runs ?? 0);
});

const untilEnded = (of: TestProject, sweep: string, count: number) =>
  until(`${count} results`, async () => {
    const lines = (await of.resultLines()).filter((line) => line.sweep === sweep);
    return lines.length >= count ? true : null;
  });
