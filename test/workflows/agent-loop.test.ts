import { expect, test } from 'vitest';
import { eventually, resultOf, useTemporal } from './harness.js';
import { record } from './history.js';
import { brief, cell, conversation, runPlan, stubActivities, type Stubs } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent;

const SHORT_HISTORIES = { limits: { requestsPerHistory: 2 } };
const LOOP = runPlan({ steps: [{ kind: 'agent', timeoutSecs: 60, rebuildSecs: 0, loop: true }] });

/** An agent whose model asks for a call in each request of a turn but the last one. */
const asks = (requests: number) => (_run: unknown, _nth: number, _turn: unknown, number: number) =>
  Promise.resolve(number < requests ? { calls: 1, isOver: false } : { calls: 0, isOver: true });

/** The turn, the agent's run and the number of each request. */
const asked = (stubs: Stubs): string[] =>
  stubs.argsOf('askModel').map(([, nth, { number: turn }, number]) => `${turn}.${nth}.${number}`);

it('a run of the agent loop continues as new, and repeats no request and no call', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(LOOP), askModel: asks(6) });
  await onBench(stubs, async ({ startRun, client }) => {
    const handle = await startRun(cell(), SHORT_HISTORIES);
    expect(await handle.result()).toMatchObject({ outcome: 'pass' });
    const [begun] = (await client.workflow.getHandle(handle.workflowId).fetchHistory()).events ?? [];
    const firstRunId = begun?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? '';
    const first = client.workflow.getHandle(handle.workflowId, firstRunId);
    expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW');
    await record('run-of-loop-1', first);
    await record('run-of-loop-2', client.workflow.getHandle(handle.workflowId));
  });
  expect(asked(stubs)).toEqual(['1.1.1', '1.1.2', '1.1.3', '1.1.4', '1.1.5', '1.1.6']);
  expect(stubs.argsOf('callTool')).toHaveLength(5);
  expect(stubs.argsOf('runAgent')).toHaveLength(1);
  const steps = stubs.calls.filter(({ activity }) => activity !== 'loadCells');
  expect(new Set(steps.map(({ args }) => (args[0] as { run: string }).run)).size).toBe(1);
  const { startedAt, endedAt } = stubs.argsOf('writeReport')[0]?.[1] ?? { startedAt: 0, endedAt: 0 };
  expect(endedAt).toBeGreaterThan(startedAt);
});

it('turns and runs of earlier histories are not performed again, nor waited for', async () => {
  let runs = 0;
  const busy = brief({ ending: 'unable', completed: false, again: { why: 'busy', at: null } });
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ steps: [conversation({ loop: true })] })),
    askModel: asks(3),
    runAgent: (...[, nth, turn = { number: 1, at: 0 }]: [unknown, number?, { number: number; at: number }?]) => {
      runs += 1;
      return Promise.resolve(turn.number === 1 && (nth ?? 1) === 1 ? busy : brief());
    },
    endConversation: (_run, { number }) =>
      Promise.resolve({ reason: number === 2 ? 'max_turns_reached' : null, workedSecs: 1 }),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(), { limits: { requestsPerHistory: 2, providerWaitMs: 1 } });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'pass' });
  });
  expect(asked(stubs)).toEqual([...['1.1.1', '1.1.2', '1.1.3', '1.2.1', '1.2.2', '1.2.3', '2.1.1', '2.1.2', '2.1.3']]);
  expect(runs).toBeGreaterThan(3);
});

it('a cancel reaches the last history', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(LOOP), askModel: asks(Infinity) });
  await onBench(stubs, async ({ startRun, client }) => {
    const handle = await startRun(cell(), SHORT_HISTORIES);
    await eventually(() => expect(asked(stubs).length).toBeGreaterThan(4));
    const last = client.workflow.getHandle(handle.workflowId);
    await last.cancel();
    await handle.result().catch(() => undefined);
    expect((await last.describe()).status.name).toBe('CANCELLED');
  });
  expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ cancelled: true, failures: [] });
});
