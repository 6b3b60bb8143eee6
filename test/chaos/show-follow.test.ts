import { expect, test } from 'vitest';
import { activeStep } from '../../src/client/follow/progress.js';
import type { SweepProgress } from '../../src/protocol/index.js';
import { kill, partOf } from '../commands/engine-parts.js';
import { openRunOf, printed, untilPrinted } from '../commands/following.js';
import { gatedCommand, letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { EMPTY_FIXTURE, until } from '../commands/project.js';
import { projectWithClient } from '../commands/project-with-client.js';

const { project, client } = await projectWithClient(EMPTY_FIXTURE, { ownEngine: true });
// The agent's actions reach the server with a heartbeat.
project.env['LLM_TOOL_TEST_LIMITS'] = '{"heartbeatMs": 4000}';

test('show <run> --follow prints what the agent does, also after the worker was killed, and then the run', async () => {
  const [first, second] = [gatedCommand(project, 'first'), gatedCommand(project, 'second')];
  await writeGated(project, 'followed', {
    steps: ['run: echo one', `run: '${first}'`, 'run: echo two; exit 3', `run: '${second}'`],
  });
  const command = project.start(['run', 'followed', '--name', 'followed', '--json']);
  await untilStarted(project, 'first');
  const run = await openRunOf(project, 'followed');
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
  expect([step.step, step.agent?.doing]).toEqual(['agent', expect.stringContaining('$ echo start')]);

  await kill(project, 'worker');
  await until('another worker', () => partOf(project, 'worker'));
  await letGo(project, 'first');
  await untilPrinted(stdout, '$ echo two; exit 3\n  two\n  [exit code 3]\n$ echo start');
  await letGo(project, 'second');
  const { exitCode } = await following;
  expect(exitCode).toBe(0);
  const { stdout: shown } = await project.cli(['show', run]);
  expect(stdout().trimEnd().endsWith(shown.trimEnd())).toBe(true);
  // The record of the run has the command again.
  expect(stdout().slice(0, -shown.length).split('$ echo one')).toHaveLength(2);
  expect((await command).exitCode).toBe(0);

  const again = await project.cli(['show', run, '--follow']);
  expect(again).toMatchObject({ exitCode: 0, stdout: shown });
});
