import {
  ApplicationFailure,
  defineQuery,
  defineUpdate,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { QUERIES, type SweepInput, type SweepProgress, type SweepStatus, UPDATES } from '#protocol';
import { runEnded } from '../announce-end.js';
import { readEnded, readOrder, readParked } from '../arguments.js';
import type { SweepEvent } from '../scheduler/events.js';
import { accountsIn, type SchedulerState } from '../scheduler/state.js';
import { parkedRun } from '../wait-for-provider.js';
import { forgetting, verify } from './activities.js';
import type { Hosts } from './hosts.js';
import type { InheritedRuns } from './inherited-runs.js';

const pauseSweep = defineUpdate<SweepStatus>(UPDATES.pause);
/** Updates that make a sweep spend money need a proof that a command sent them. */
const resumeSweep = defineUpdate<SweepStatus, [unknown?]>(UPDATES.resume);
const cancelSweep = defineUpdate<SweepStatus>(UPDATES.cancel);
const skipWait = defineUpdate<SweepStatus, [unknown?]>(UPDATES.goOn);
const progressOfSweep = defineQuery<SweepProgress>(QUERIES.progress);

/** How long a run that has announced its end may take to close, ms. */
const CLOSING_MS = 10_000;

interface Sweep {
  input: SweepInput;
  state: () => SchedulerState;
  status: () => SweepStatus;
  progress: () => SweepProgress;
  workflowIdOf: (cell: string) => string;
  dispatch: (event: SweepEvent) => void;
  hosts: Hosts | null;
  inherited: InheritedRuns;
  cancelRuns: () => void;
}

/** Answers the commands of users and the signals of runs. */
export function handleMessages(of: Sweep): void {
  const { input, state, status, progress, workflowIdOf, dispatch, hosts, inherited, cancelRuns } = of;
  const { sweep } = input;

  /** @throws ApplicationFailure if the order does not come from a command, or was given before */
  async function check(verb: 'resume' | 'goOn', argument: unknown): Promise<void> {
    if (input.proof === undefined) return;
    const order = readOrder(argument);
    if (
      order === null ||
      order.at <= state().lastOrderAt ||
      !(await verify.verifyOrder({ sweep, verb, ...order }))
    )
      throw ApplicationFailure.nonRetryable(
        `${verb} was rejected: only the command line may send it, and only once`,
        'NotProven',
      );
    dispatch({ type: 'ordered', at: order.at });
  }

  /** The accounts of the sweep may have limits that other sweeps and hosts have noted. */
  const forgetLimits = (): Promise<void> =>
    forgetting.forgetLimits(accountsIn(state())).catch((error: unknown) => {
      if (isCancellation(error)) throw error; // otherwise, runs may find the limits once more
    });

  setHandler(progressOfSweep, progress);
  setHandler(pauseSweep, () => {
    dispatch({ type: 'paused' });
    hosts?.stopSeeking();
    return status();
  });
  setHandler(resumeSweep, async (order) => {
    await check('resume', order);
    dispatch({ type: 'resumed' });
    return status();
  });
  setHandler(cancelSweep, () => {
    cancelRuns();
    return status();
  });
  setHandler(skipWait, async (order) => {
    await check('goOn', order);
    await forgetLimits();
    dispatch({ type: 'waits skipped' });
    return status();
  });
  setHandler(parkedRun, async (argument) => {
    const signal = readParked(argument);
    if (signal === null) return;
    const { cell, parked, proof } = signal;
    const { nth } = parked;
    if (input.proof === undefined) {
      dispatch({ type: 'parked', cell, parked });
      return;
    }
    const workflowId = workflowIdOf(cell);
    const wakeProof = await verify.verifyParked({ sweep, workflowId, nth, proof });
    // Meanwhile, the run may have lost its host.
    if (wakeProof !== null && workflowIdOf(cell) === workflowId)
      dispatch({ type: 'parked', cell, parked: { ...parked, wakeProof } });
  });
  setHandler(runEnded, async (argument) => {
    const ended = readEnded(argument);
    if (ended !== null) await inherited.lookUp([ended.cell], CLOSING_MS).catch(() => undefined);
  });
}
