import proto from '@temporalio/proto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { verifyOrder, verifyParked, verifyWake } from '../../src/activities/origin/verify-order.js';
import { proveOrder } from '../../src/host/security/origin.js';
import { SIGNALS, UPDATES } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { eventually, type SweepHandle, useTemporal } from './harness.js';
import { originKey } from './origin-key.js';
import { blockedAgents, brief, cell, cellsUpTo, pagesOf, stubActivities, type Stubs } from './stub-activities.js';
import { progressOf, update } from './sweeps.js';

/**
 * Anybody who reaches Temporal's port can send a workflow any arguments. If a handler threw an error, the workflow task
 * would fail and be retried for ever: the workflow would be stuck.
 */
const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const HOUR_MS = 3600_000;
const PROOF = '0'.repeat(64);
/** Values of a shape that no handler accepts. */
const SHAPELESS = [undefined, null, 5, 'text', true, [], {}, [null]];
/** Values that are not a text, and values that are not a number or a time. */
const NO_TEXTS = [null, 5, {}, { length: 1e12 }, ['text']];
const NO_NUMBERS = [null, '1', {}, [1], -1, 1e300];

const { folder, key } = await originKey();

/** Copies of a value, each with one malformed or missing field. */
const spoiled = <T extends object>(value: T, fields: Partial<Record<keyof T, readonly unknown[]>>): object[] =>
  Object.entries(fields).flatMap(([field, bad]) =>
    (bad as readonly unknown[]).map((one) => ({ ...value, [field]: one })),
  );

const PARKED = { nth: 1, why: 'limit', until: Date.now() + HOUR_MS, provider: 'house', account: 'key' };
const parkedSignals = (id: string): unknown[] => {
  const signal = { cell: id, parked: PARKED, proof: PROOF };
  const parked = spoiled(PARKED, {
    nth: NO_NUMBERS,
    why: NO_TEXTS,
    until: NO_NUMBERS,
    provider: NO_TEXTS,
    account: NO_TEXTS,
  });
  return [...SHAPELESS, ...spoiled(signal, { cell: NO_TEXTS, parked: [...SHAPELESS, ...parked], proof: NO_TEXTS })];
};
const wakeSignals = [...SHAPELESS, ...spoiled({ nth: 1, proof: PROOF }, { nth: NO_NUMBERS, proof: NO_TEXTS })];
const orders = [...SHAPELESS, ...spoiled({ at: Date.now(), proof: PROOF }, { at: NO_NUMBERS, proof: NO_TEXTS })];

async function sendAll(
  client: Client,
  handle: Pick<WorkflowHandle, 'workflowId' | 'signal'>,
  signalName: string,
  values: readonly unknown[],
): Promise<void> {
  for (const value of values)
    await (value === undefined ? handle.signal(signalName) : handle.signal(signalName, value));
  // A signal that no client would send: bytes that are not JSON.
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    signalName,
    input: { payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') }] },
  });
}

/** Expects that no task of the workflow has failed. */
async function expectUndisturbed(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<void> {
  const { events } = await handle.fetchHistory();
  const failed = proto.temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED;
  expect(events?.filter(({ eventType }) => eventType === failed)).toEqual([]);
}

function withChecks(runAgent: Stubs['activities']['runAgent'], cells: number): Stubs {
  const deps = { resultsPath: folder, stateFolder: folder, isOwnServer };
  return stubActivities({
    runAgent,
    loadCells: pagesOf(cellsUpTo(cells)),
    verifyOrder: verifyOrder(deps),
    verifyParked: verifyParked(deps),
    verifyWake: verifyWake(deps),
  });
}

/** Gives an order as a command does. */
const give = (handle: SweepHandle, verb: 'resume' | 'goOn'): Promise<unknown> =>
  handle.executeUpdate(UPDATES[verb], {
    args: [proveOrder(key, { sweep: handle.workflowId.replace('sweep/', ''), verb })],
  });

it('a sweep ignores malformed signals', async () => {
  const agents = blockedAgents();
  await onBench(withChecks(agents.runAgent, 2), async ({ client, startSweep }) => {
    const handle = await startSweep({ concurrency: 1 });
    await eventually(() => expect(agents.started).toHaveLength(1));
    await sendAll(client, handle, SIGNALS.parked, parkedSignals(cell(1).id));
    await sendAll(client, handle, SIGNALS.runEnded, [...SHAPELESS, ...NO_TEXTS.map((one) => ({ cell: one }))]);
    // An update is answered once everything that came before it has been handled.
    await update(handle, 'pause');
    const progress = await progressOf(handle);
    expect(progress).toMatchObject({ status: 'paused', active: [{ cell: cell(1).id }] });
    expect(progress).not.toHaveProperty('parked');
    expect(progress).not.toHaveProperty('limits');
    await give(handle, 'resume');
    agents.releaseAll();
    expect(await handle.result()).toMatchObject({ status: 'completed', counts: { pass: 2 } });
    await expectUndisturbed(handle);
  });
});

it('refuses malformed orders, and ignores malformed arguments of other updates', async () => {
  const agents = blockedAgents();
  await onBench(withChecks(agents.runAgent, 1), async ({ startSweep }) => {
    const handle = await startSweep({ concurrency: 1, proof: 'of the start' });
    await eventually(() => expect(agents.started).toHaveLength(1));
    for (const verb of [UPDATES.resume, UPDATES.goOn])
      for (const order of orders)
        await expect(handle.executeUpdate(verb, { args: [order] })).rejects.toMatchObject({
          cause: { type: 'NotProven' },
        });
    for (const value of SHAPELESS) expect(await handle.executeUpdate(UPDATES.pause, { args: [value] })).toBe('paused');
    expect(await handle.executeUpdate(UPDATES.cancel, { args: [null] })).toBe('cancelled');
    expect(await handle.result()).toMatchObject({ counts: { cancelled: 1 } });
    await expectUndisturbed(handle);
  });
});

it('a run ignores malformed signals', async () => {
  const wait = { ending: 'unable', completed: false, costUsd: null, provider: 'house' } as const;
  const stubs = stubActivities({
    runAgent: (_run, nth) =>
      Promise.resolve(nth === 2 ? brief() : brief({ ...wait, again: { why: 'limit', at: Date.now() + HOUR_MS } })),
    loadCells: pagesOf(cellsUpTo(1)),
  });
  await onBench(stubs, async ({ client, startSweep, runOf }) => {
    const handle = await startSweep();
    await eventually(async () => expect((await progressOf(handle)).parked).toHaveLength(1));
    const run = runOf(cell(1));
    await sendAll(client, run, SIGNALS.wake, wakeSignals);
    await sendAll(client, run, SIGNALS.tellEnd, SHAPELESS);
    await sendAll(client, run, SIGNALS.tellParked, SHAPELESS);
    await give(handle, 'goOn');
    expect(await handle.result()).toMatchObject({ counts: { pass: 1 } });
    await expectUndisturbed(run);
  });
  expect(stubs.argsOf('runAgent').map(([, nth]) => nth)).toEqual([undefined, 2]);
});
