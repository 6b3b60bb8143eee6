import { Client, Connection } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { isAlive } from '../../src/host/process/process-identity.js';
import { sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, until } from '../commands/project.js';
import { killProcess, processesWith } from '../host/processes.js';
import { kill, linesIn, partOf } from '../commands/engine-parts.js';
import { createWire } from './wire.js';

test('a cancel ends the agent of a frozen worker, which never receives it: another worker stops the agent', async ({
  onTestFinished,
}) => {
  const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  // The pending polls of a frozen worker would take tasks from the other one, so its connections are cut.
  const wire = await createWire(inject('temporalAddress'));
  const client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
  project.env['TEMPORAL_ADDRESS'] = wire.address;
  project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 3000}';
  const others: ReturnType<typeof project.start>[] = [];
  onTestFinished(async () => {
    for (const other of others) {
      other.kill('SIGTERM');
      await other;
    }
    wire.remove();
    await client.connection.close();
    await project.remove();
  });
  await writeGated(project, 'stopped');
  await project.run(['stopped', '--name', 'stopped', '--detach']);
  await untilStarted(project, 'stopped');
  const agents = (): number[] => processesWith(`${project.folder}/stopped.go`);
  expect(agents()).not.toEqual([]);
  const worker = await until('a worker', () => partOf(project, 'worker'));
  await kill(project, 'keeper'); // it would replace the worker
  killProcess(worker.pid, 'SIGSTOP');
  wire.cut();
  // To the same address: a worker takes care only of runs of its server.
  others.push(project.startWorker(wire.address));

  const sweep = await sweepOf(project, 'stopped');
  const run = client.workflow.getHandle(`sweep/${sweep}/stopped/mock/default/default/1/r1`);
  await run.cancel();
  await until('the agent has ended', () => (agents().length === 0 ? true : null));
  // The step has not received the cancel: its worker is still frozen, and the server still waits for its result.
  expect(isAlive(worker)).toBe(true);
  const { raw } = await run.describe();
  expect(raw.pendingActivities?.map(({ activityType }) => activityType?.name)).toContain('runAgent');

  killProcess(worker.pid);
  await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(linesIn(project, 'stopped.starts')).toHaveLength(1);
  const { stdout } = await project.cli(['show', sweep, '--json']);
  expect((await openRun(documentOf(stdout))).run).toMatchObject({
    outcome: 'cancelled',
    agent: { ending: 'cancelled', starts: 1 },
  });
});
