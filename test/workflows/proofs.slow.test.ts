import { expect, test } from 'vitest';
import type { Activities } from '../../src/activities/create-activities.js';
import { verifyOrder, verifyParked, verifyWake } from '../../src/activities/origin/verify-order.js';
import { proveOrder, proveSignal, type SignalFacts } from '../../src/host/security/origin.js';
import { type AgentSummary, type ProvenOrder, type RunRef, SIGNALS, UPDATES } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { eventually, type RunHandle, type SweepHandle, useTemporal } from './harness.js';
import { localActivitiesIn } from './history.js';
import { originKey } from './origin-key.js';
import { blockedAgents, brief, cell, cellsUpTo, pagesOf, stubActivities, type Stubs } from './stub-activities.js';
import { progressOf, update } from './sweeps.js';

/** Messages that anybody who reaches Temporal's port can send to a sweep that a command has started. */
const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const HOUR_MS = 3600_000;
const FORGED = '0'.repeat(64);
/** The input with which the workflows are started. Whether this proof is valid is checked by other activities. */
const BY_COMMAND = { proof: 'of the start', concurrency: 1 };

const { folder, key } = await originKey();

/** Steps that do nothing, with the real checks of proofs. */
function withChecks(runAgent: Activities['runAgent'], cells = 2): Stubs {
  const deps = { resultsPath: folder, stateFolder: folder, isOwnServer };
  return stubActivities({
    runAgent,
    loadCells: async (wanted) => {
      const { total, cells: pages } = await pagesOf(cellsUpTo(cells))(wanted);
      return { total, cells: pages.map((page) => ({ ...page, provider: 'house', proof: 'of the run' })) };
    },
    verifyOrder: verifyOrder(deps),
    verifyParked: verifyParked(deps),
    verifyWake: verifyWake(deps),
  });
}

/** An agent with a provider at its limit the first `times` times, with the proof that its run waits. */
const limited =
  (times: number) =>
  ({ workflowId }: RunRef, nth = 1): Promise<AgentSummary> =>
    Promise.resolve(
      nth > times
        ? brief()
        : brief({
            ending: 'unable',
            completed: false,
            message: 'not served',
            costUsd: null,
            again: { why: 'limit', at: Date.now() + HOUR_MS },
            provider: 'house',
            proof: proveSignal(key, { workflowId, kind: 'parked', nth }),
          }),
    );

/** Gives an order by an update: with a proof as a command does, or without one as anybody can. */
const give = (handle: SweepHandle, verb: 'resume' | 'goOn', order?: ProvenOrder): Promise<unknown> =>
  order === undefined ? handle.executeUpdate(UPDATES[verb]) : handle.executeUpdate(UPDATES[verb], { args: [order] });
async function expectRefused(
  handle: SweepHandle,
  verb: 'resume' | 'goOn',
  orders: readonly (ProvenOrder | undefined)[],
): Promise<void> {
  for (const order of orders)
    await expect(give(handle, verb, order)).rejects.toMatchObject({ cause: { type: 'NotProven' } });
}
/** Orders that no command has given. */
const forgedOrders = (sweep: string, verb: 'resume' | 'goOn'): (ProvenOrder | undefined)[] => {
  const given = proveOrder(key, { sweep, verb });
  return [
    undefined,
    { ...given, proof: FORGED },
    { ...given, at: given.at + 1 },
    proveOrder(key, { sweep, verb: verb === 'resume' ? 'goOn' : 'resume' }),
    proveOrder(key, { sweep: 'another sweep', verb }),
  ];
};

it('only the order of a command resumes a paused sweep, and each order does so once', async () => {
  const agents = blockedAgents();
  const stubs = withChecks(agents.runAgent, 3);
  await onBench(stubs, async ({ name, startSweep }) => {
    const handle = await startSweep(BY_COMMAND);
    /** Pauses while the nth cell runs, then lets that cell end. */
    const pauseAt = async (nth: number): Promise<void> => {
      await eventually(() => expect(agents.started).toHaveLength(nth));
      await update(handle, 'pause');
      agents.release(cell(nth).id);
      await eventually(async () => expect((await progressOf(handle)).counts.pass).toBe(nth));
    };
    const paused = { status: 'paused', active: [] };
    await pauseAt(1);
    await expectRefused(handle, 'resume', forgedOrders(name, 'resume'));
    expect(await progressOf(handle)).toMatchObject(paused);
    const order = proveOrder(key, { sweep: name, verb: 'resume' });
    expect(await give(handle, 'resume', order)).toBe('running');
    await pauseAt(2);
    const earlier = proveOrder(key, { sweep: name, verb: 'resume' }, order.at - 1);
    await expectRefused(handle, 'resume', [order, earlier]);
    expect(await progressOf(handle)).toMatchObject(paused);
    expect(agents.started).toHaveLength(2);
    await give(handle, 'resume', proveOrder(key, { sweep: name, verb: 'resume' }, order.at + 1));
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 3 } });
  });
});

it('only the order of a command ends the waits of a sweep, and each order does so once', async () => {
  const stubs = withChecks(limited(2), 1);
  const runs = (): unknown[] => stubs.argsOf('runAgent').map(([, nth]) => nth);
  await onBench(stubs, async ({ name, startSweep }) => {
    const handle = await startSweep(BY_COMMAND);
    const untilParked = (nth: number): Promise<void> =>
      eventually(async () => expect((await progressOf(handle)).parked).toMatchObject([{ nth }]));
    await untilParked(1);
    await expectRefused(handle, 'goOn', forgedOrders(name, 'goOn'));
    await untilParked(1);
    const order = proveOrder(key, { sweep: name, verb: 'goOn' });
    await give(handle, 'goOn', order);
    await untilParked(2);
    const earlier = proveOrder(key, { sweep: name, verb: 'goOn' }, order.at - 1);
    await expectRefused(handle, 'goOn', [order, earlier]);
    expect(await progressOf(handle)).toMatchObject({ parked: [{ nth: 2 }], limits: [{ provider: 'house' }] });
    expect(runs()).toEqual([undefined, 2]);
    await give(handle, 'goOn', proveOrder(key, { sweep: name, verb: 'goOn' }, order.at + 1));
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 1 } });
  });
  expect(runs()).toEqual([undefined, 2, 3]);
});

it('only the signal of the run itself parks it: a forged one frees no slot and holds back no account', async () => {
  const agents = blockedAgents();
  const stubs = withChecks(agents.runAgent);
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep(BY_COMMAND);
    await eventually(() => expect(agents.started).toHaveLength(1));
    const { workflowId } = runOf(cell(1));
    const signed = (more: Partial<SignalFacts>): string =>
      proveSignal(key, { workflowId, kind: 'parked', nth: 1, ...more });
    const forged = [
      undefined,
      FORGED,
      signed({ nth: 2 }),
      signed({ kind: 'wake' }),
      signed({ workflowId: runOf(cell(2)).workflowId }),
    ];
    const parked = { nth: 1, why: 'limit', until: Date.now() + HOUR_MS, provider: 'house' };
    for (const proof of forged) await handle.signal(SIGNALS.parked, { cell: cell(1).id, parked, proof });
    const verified = () => stubs.argsOf('verifyParked').flatMap(([{ signals }]) => signals);
    await eventually(() => expect(verified()).toHaveLength(forged.length));
    await handle.signal(SIGNALS.runEnded, { cell: cell(1).id });
    // An update is answered once everything that came before it has been handled.
    await update(handle, 'pause');
    const { active, counts, ...progress } = await progressOf(handle);
    expect(active).toEqual([{ cell: cell(1).id, workflowId, since: expect.any(Number) as number }]);
    expect(counts).toEqual({ pass: 0, fail: 0, error: 0, cancelled: 0 });
    expect(progress).not.toHaveProperty('parked');
    expect(progress).not.toHaveProperty('limits');
    expect(agents.started).toHaveLength(1);
    // Its own proof parks it.
    await handle.signal(SIGNALS.parked, { cell: cell(1).id, parked, proof: signed({}) });
    await eventually(async () =>
      expect(await progressOf(handle)).toMatchObject({ active: [], limits: [{ provider: 'house' }] }),
    );
    await update(handle, 'cancel');
    await handle.result();
  });
});

it('only its sweep wakes a waiting run, and only from its current wait', async () => {
  const stubs = withChecks(limited(1), 1);
  const agentRuns = (): unknown[] => stubs.argsOf('runAgent').map(([, nth]) => nth);
  await onBench(stubs, async ({ name, startSweep, runOf }) => {
    const handle = await startSweep(BY_COMMAND);
    await eventually(async () => expect((await progressOf(handle)).parked).toHaveLength(1));
    // The progress, which anybody can query, does not contain the proof that wakes the run.
    expect(JSON.stringify(await progressOf(handle))).not.toMatch(/proof/i);
    const run = runOf(cell(1));
    const signed = (more: Partial<SignalFacts>): string =>
      proveSignal(key, { workflowId: run.workflowId, kind: 'wake', nth: 1, ...more });
    const forged = [
      undefined,
      FORGED,
      signed({ kind: 'parked' }),
      signed({ nth: 2 }),
      signed({ workflowId: runOf(cell(2)).workflowId }),
    ];
    for (const proof of forged) await run.signal(SIGNALS.wake, { nth: 1, proof });
    await untilLookedAt(run, forged.length);
    expect(agentRuns()).toEqual([undefined]);
    await give(handle, 'goOn', proveOrder(key, { sweep: name, verb: 'goOn' }));
    expect(await handle.result()).toMatchObject({ counts: { pass: 1 } });
  });
  expect(agentRuns()).toEqual([undefined, 2]);
});

/** Waits until a run has checked and handled this many calls to wake up. */
const untilLookedAt = (run: RunHandle, calls: number): Promise<void> =>
  eventually(async () => {
    const looks = localActivitiesIn(await run.fetchHistory()).filter(([name]) => name === 'verifyWake');
    expect(looks).toHaveLength(calls);
  });
