import { expect, test } from 'vitest';
import { activeStep } from '../../src/client/follow/active-step.js';
import { openRunsIn } from '../../src/client/follow/open-runs.js';
import type { SweepProgress } from '../../src/workflows/protocol.js';
import { kill, partOf, stateOf } from './engine-parts.js';
import { gatedCommand, letGo, startsOf, sweepOf, untilStarted, writeGated } from './gated.js';
import { EMPTY_FIXTURE, until } from './project.js';
import { projectWithClient } from './project-with-client.js';

const { project, client } = await projectWithClient(EMPTY_FIXTURE, { ownEngine: true });

type Running = ReturnType<typeof project.start>;

/** What a process has printed so far. */
function printed({ stdout, stderr }: Running): { stdout: () => string; stderr: () => string } {
  const texts = { stdout: '', stderr: '' };
  stdout.on('data', (data) => (texts.stdout += String(data)));
  stderr.on('data', (data) => (texts.stderr += String(data)));
  return { stdout: () => texts.stdout, stderr: () => texts.stderr };
}
const runOf = (scenario: string): Promise<string> =>
  until(
    `a run of ${scenario}`,
    () => openRunsIn(stateOf(project)).find(({ run }) => run.includes(`-${scenario}-`))?.run ?? null,
  );
const untilPrinted = (text: () => string, part: string): Promise<true> =>
  until(`"${part}" is printed`, () => (text().includes(part) ? true : null));

test('show <run> --follow prints what the agent does, also after the worker was killed, and then the run', async () => {
  const [first, second] = [gatedCommand(project, 'first'), gatedCommand(project, 'second')];
  await writeGated(project, 'followed', {
    steps: ['run: echo one', `run: '${first}'`, 'run: echo two; exit 3', `run: '${second}'`],
  });
  const command = project.start(['run', 'followed', '--name', 'followed', '--json']);
  await untilStarted(project, 'first');
  const run = await runOf('followed');
  const following = project.start(['show', run, '--follow']);
  const { stdout, stderr } = printed(following);
  await untilPrinted(stdout, '$ echo one\n  one\n$ echo start');
  expect(stderr()).toContain(`following ${run}`);

  const step = await until('the server knows what the agent does', async () => {
    const sweep = client.workflow.getHandle(`sweep/${await sweepOf(project, 'followed')}`);
    const { active } = await sweep.query<SweepProgress>('progress');
    const found = await activeStep(client, active[0]?.workflowId ?? '');
    return found.agent === null ? null : found;
  });
  expect(step).toMatchObject({ step: 'agent', agent: { doing: expect.stringContaining('$ echo start') } });

  await kill(project, 'worker');
  await until('another worker', () => partOf(project, 'worker'));
  await letGo(project, 'first');
  await untilPrinted(stdout, '$ echo two; exit 3\n  two\n  [exit code 3]\n$ echo start');
  await letGo(project, 'second');
  const { exitCode } = await following;
  expect(exitCode).toBe(0);
  expect(stdout().split('$ echo one')).toHaveLength(2);
  const { stdout: shown } = await project.cli(['show', run]);
  expect(stdout().trimEnd().endsWith(shown.trimEnd())).toBe(true);
  expect((await command).exitCode).toBe(0);

  const again = await project.cli(['show', run, '--follow']);
  expect(again).toMatchObject({ exitCode: 0, stdout: shown });
});

test('with --json the events go to stderr', async () => {
  await writeGated(project, 'asjson', { steps: ['say: hello', `run: '${gatedCommand(project, 'asjson')}'`] });
  const command = project.start(['run', 'asjson', '--json']);
  await untilStarted(project, 'asjson');
  const following = project.start(['show', await runOf('asjson'), '--follow', '--json']);
  await untilPrinted(printed(following).stderr, 'hello');
  await letGo(project, 'asjson');
  expect(JSON.parse((await following).stdout)).toMatchObject({ run: { outcome: 'pass' } });
  await command;
});

test('Ctrl-C ends the following of a run or a sweep, which goes on', async () => {
  await writeGated(project, 'watched');
  const command = project.start(['run', 'watched', '--name', 'watched', '--json']);
  await untilStarted(project, 'watched');
  for (const id of [await runOf('watched'), await sweepOf(project, 'watched')]) {
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
  expect(stderr).toContain(`now running: ${await runOf('other')}`);
  await letGo(project, 'other');
  await command;
});
