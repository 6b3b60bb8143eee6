import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '#activities';
import { QUERIES, type SweepProgress, type SweepStatus, UPDATES } from '#protocol';
import { runEnded } from '../announce-end.js';
import { readEnded, readOrder, readParked } from '../arguments.js';
import { quickly } from '../calls.js';
import type { SweepEvent } from '../scheduler/events.js';
import { accountsIn } from '../scheduler/state.js';
import { parkedRun } from '../wait-for-provider.js';
import { lookUp } from './inherited-runs.js';
import { enqueue, notingOf, progressOf, statusOf, type Sweep, workflowIdOf } from './sweep.js';

const pauseSweep = defineUpdate<SweepStatus>(UPDATES.pause);
const cancelSweep = defineUpdate<SweepStatus>(UPDATES.cancel);
/** Updates that make a sweep spend money need a proof that a command sent them. */
const ORDERS = {
  resume: defineUpdate<SweepStatus, [unknown?]>(UPDATES.resume),
  goOn: defineUpdate<SweepStatus, [unknown?]>(UPDATES.goOn),
};
const ORDER_NAMES = { resume: 'resume', goOn: 'end the waits' } as const;
const progressOfSweep = defineQuery<SweepProgress>(QUERIES.progress);

/** The time that a run that has announced its end may take to close, ms. */
const CLOSING_MS = 10_000;
/** The most signals that are verified together. */
const PER_CHECK = 100;

/** Short, because a command waits for the answer. */
const { forgetLimits } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 2 },
});

/** Answers the commands of users and the signals of runs. They only put events into the queue. */
export function handleMessages(sweep: Sweep): void {
  async function handled(event: SweepEvent): Promise<SweepStatus> {
    enqueue(sweep, event);
    // Also after the sweep has been cancelled from outside.
    await CancellationScope.nonCancellable(() => condition(() => sweep.queue.length === 0));
    return statusOf(sweep);
  }
  setHandler(progressOfSweep, () => progressOf(sweep));
  setHandler(pauseSweep, () => handled({ type: 'paused' }));
  setHandler(cancelSweep, () => handled({ type: 'cancelled' }));
  handleOrder(sweep, 'resume', () => handled({ type: 'resumed' }));
  handleOrder(sweep, 'goOn', async () => {
    // The accounts of the sweep may have limits that other sweeps and hosts have noted.
    await forgetLimits(accountsIn(sweep.state)).catch((error: unknown) => {
      if (isCancellation(error)) throw error; // otherwise, runs may find the limits once more
    });
    return handled({ type: 'waits skipped' });
  });
  setHandler(parkedRun, (argument) => {
    const signal = readParked(argument);
    if (signal === null) return;
    sweep.claims.push({ ...signal, workflowId: workflowIdOf(sweep, signal.cell) });
  });
  setHandler(runEnded, async (argument) => {
    const ended = readEnded(argument);
    if (ended !== null) await lookUp(sweep, [ended.cell], CLOSING_MS).catch(() => undefined);
  });
}

/** Handles an update that must come from a command, and is accepted only once. */
function handleOrder(sweep: Sweep, verb: keyof typeof ORDERS, perform: () => Promise<SweepStatus>): void {
  const { sweep: name } = sweep.input;
  const refusal = (): Error =>
    ApplicationFailure.nonRetryable(
      `${verb} was rejected: only the command line may send it, and only once`,
      'NotProven',
    );
  const orderIn = (argument: unknown) => {
    const order = readOrder(argument);
    if (order === null || order.at <= sweep.state.lastOrderAt) throw refusal();
    return order;
  };
  const handle = async (argument?: unknown): Promise<SweepStatus> => {
    const order = orderIn(argument);
    const isGiven = await quickly(`verify the order to ${ORDER_NAMES[verb]}`, notingOf(sweep), sweep.input, (steps) =>
      steps.verifyOrder({ sweep: name, verb, ...order }),
    );
    // Meanwhile, the same order may have been accepted.
    if (!isGiven || order.at <= sweep.state.lastOrderAt) throw refusal();
    enqueue(sweep, { type: 'ordered', at: order.at });
    return perform();
  };
  setHandler(ORDERS[verb], handle, {
    validator: (argument?: unknown) => void orderIn(argument),
  });
}

/** Verifies the signals of runs that wait for their provider, all that have arrived at once. */
export async function verifyClaims(sweep: Sweep): Promise<never> {
  for (;;) {
    await condition(() => sweep.claims.length > 0);
    sweep.isVerifying = true;
    const claims = sweep.claims.splice(0, PER_CHECK);
    const signals = claims.map(({ workflowId, proof, parked: { nth } }) => ({ workflowId, proof, nth }));
    const proofs = await quickly('verify that runs wait for a provider', notingOf(sweep), sweep.input, (steps) =>
      steps.verifyParked({ sweep: sweep.input.sweep, signals }),
    );
    for (const [index, { cell, parked, workflowId }] of claims.entries()) {
      const wakeProof = proofs[index] ?? null;
      if (wakeProof !== null) enqueue(sweep, { type: 'parked', cell, parked: { ...parked, wakeProof } }, workflowId);
    }
    sweep.isVerifying = false;
  }
}
