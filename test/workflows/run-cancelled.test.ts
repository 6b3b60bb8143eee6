import { expect, test } from 'vitest';
import { eventually, resultOf, useTemporal } from './harness.js';
import { record, summariesIn } from './history.js';
import {
  blockedAgents,
  brief,
  cell,
  flaky,
  FULL,
  latch,
  stepsOf,
  stubActivities,
  untilCancelled,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

it('reports a run as cancelled when its agent ended as cancelled', async () => {
  const stubs = stubActivities({
    runAgent: () => Promise.resolve(brief({ ending: 'cancelled', completed: false })),
  });
  await onBench(stubs, async ({ startRun }) => {
    expect(await resultOf(await startRun(cell()))).toMatchObject({ outcome: 'cancelled' });
  });
});

it('cancelling kills the agent, reports the run as cancelled, and cleans up', async () => {
  let agentSaw: unknown = null;
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runAgent: (run) => agents.runAgent(run).catch((error: unknown) => Promise.reject((agentSaw = error) as Error)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    expect(await resultOf(handle)).toMatchObject({ outcome: 'cancelled' });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    await record('run-cancelled', handle);
  });
  expect(agentSaw).toMatchObject({ name: 'CancelledFailure' });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ cancelled: true, failures: [] });
});

it('the report of a cancelled run waits until its agent has ended', async () => {
  const events: string[] = [];
  const agents = blockedAgents();
  const death = latch();
  const dying = (): Promise<void> => {
    events.push('agent is dying');
    return death.opened;
  };
  const stubs = stubActivities({
    runAgent: (run) =>
      agents
        .runAgent(run)
        .finally(dying)
        .finally(() => events.push('agent ended')),
    writeReport: () => {
      events.push('report');
      return Promise.resolve({ outcome: 'cancelled', message: '', costUsd: null });
    },
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    // The agent learns of the cancel once the workflow has reacted to it; without the wait it would report by then.
    await eventually(() => expect(events).toEqual(['agent is dying']));
    expect(summariesIn(await handle.fetchHistory())).not.toContain('write the report');
    death.open();
    await resultOf(handle);
  });
  expect(events).toEqual(['agent is dying', 'agent ended', 'report']);
});

it('cancelling during a gate skips the gates after it', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    checkGate: () => untilCancelled(new Promise(() => undefined)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(stepsOf(stubs)).toContain('checkGate 0'));
    await handle.cancel();
    await resultOf(handle);
  });
  expect(stepsOf(stubs).slice(4)).toEqual(['checkGate 0', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].cancelled).toBe(true);
});

it('a run is cancelled even if its current step breaks instead of ending as cancelled', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runAgent: (run) => agents.runAgent(run).catch(() => Promise.reject(flaky('the worker was lost'))),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    expect(await resultOf(handle)).toMatchObject({ outcome: 'cancelled' });
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp']);
  const failures = [{ step: 'agent', message: 'the worker was lost' }];
  expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ cancelled: true, failures });
});

it('reports a run that is cancelled before it begins', async () => {
  const stubs = stubActivities();
  await onBench(
    stubs,
    async ({ startRun, work }) => {
      const handle = await startRun(cell());
      await handle.cancel();
      await work(() => resultOf(handle));
    },
    { idle: true },
  );
  expect(stepsOf(stubs)).toEqual(['writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].cancelled).toBe(true);
});
