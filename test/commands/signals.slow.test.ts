import { expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { gatedCommand, letGo, startsOf, sweepOf, untilStarted, writeGated } from './gated.js';
import { documentOf, EMPTY_FIXTURE, openRun, until } from './project.js';
import { projectWithClient } from './project-with-client.js';

const { project, client } = await projectWithClient(EMPTY_FIXTURE);

test('the first Ctrl-C pauses: running agents finish, no new cell starts, and the command exits with 130; resume runs the rest', async () => {
  await writeGated(project, 'pausing');
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
  await untilStarted(project, 'pausing');
  command.kill('SIGINT');
  const sweep = await sweepOf(project, 'pausing');
  const handle = client.workflow.getHandle(`sweep/${sweep}`);
  await until('the sweep is paused', async () =>
    (await handle.query<{ status: string }>('progress')).status === 'paused' ? true : null,
  );
  await letGo(project, 'pausing');
  const ended = await command;
  expect(ended.exitCode).toBe(130);
  expect(documentOf(ended.stdout)).toMatchObject({ status: 'paused', totals: { passed: 1, cells: 3 } });
  expect(ended.stderr).toContain(`llm-tool-test resume ${sweep}`);
  expect(startsOf(project, 'pausing')).toBe(1);

  const resumed = await project.cli(['resume', sweep, '--json']);
  expect(resumed.exitCode).toBe(0);
  expect(documentOf(resumed.stdout)).toMatchObject({ status: 'completed', totals: { passed: 3 } });
  expect(startsOf(project, 'pausing')).toBe(3);
});

test('the second Ctrl-C cancels: agents are killed with everything they started, and the record says so', async () => {
  await writeGated(project, 'ending', {
    steps: [`run: 'setsid sleep 299 & ${gatedCommand(project, 'ending')}'`],
  });
  const command = project.start(['run', 'ending', '--repeat', '4', '--concurrency', '2', '--name', 'ending', '--json']);
  await untilStarted(project, 'ending', 2);
  command.kill('SIGINT');
  const handle = client.workflow.getHandle(`sweep/${await sweepOf(project, 'ending')}`);
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
    if (results_dir !== null) expect(markedProcesses(opaqueId(results_dir.split('/').at(-1) ?? ''))).toEqual([]);
  }
  expect(startsOf(project, 'ending')).toBe(2);
});

test('with CI set the first signal cancels', async () => {
  await writeGated(project, 'inci');
  const command = project.start(['run', 'inci', '--json'], { CI: 'true' });
  await untilStarted(project, 'inci');
  command.kill('SIGTERM');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(130);
  expect(documentOf(stdout)).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
});

test.each([
  { how: 'SIGKILL of the command', signal: 'SIGKILL', name: 'orphan', exitCode: undefined },
  { how: 'SIGHUP, as from a closed terminal,', signal: 'SIGHUP', name: 'hungup', exitCode: 129 },
] as const)('$how does not affect the sweep, and resume follows it again', async ({ signal, name, exitCode }) => {
  await writeGated(project, name);
  const command = project.start(['run', name, '--name', name]);
  await untilStarted(project, name);
  command.kill(signal);
  expect((await command).exitCode).toBe(exitCode);
  const resumed = project.start(['resume', name, '--json']);
  await letGo(project, name);
  const ended = await resumed;
  expect(ended.exitCode).toBe(0);
  expect(documentOf(ended.stdout).totals.passed).toBe(1);
  expect(startsOf(project, name)).toBe(1);
});
