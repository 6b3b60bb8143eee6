import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { readWake } from './arguments.js';
import { SIGNALS, type AgentSummary, type Parked, type ProviderLimit, type RunInput } from './protocol.js';

export const skipWaitSignal = defineSignal(SIGNALS.goOn);
export const providerLimited = defineSignal<[ProviderLimit]>(SIGNALS.providerLimited);
/** `proof` shows that this run sent the signal; absent if its sweep has no proof either. */
export const parkedRun = defineSignal<[{ cell: string; parked: Parked; proof?: string }]>(SIGNALS.parked);
/** A sweep that was reset has not kept what the run told it before. */
export const tellParked = defineSignal(SIGNALS.tellParked);
export const wakeRun = defineSignal<[{ nth: number; proof?: string }]>(SIGNALS.wake);

const { verifyWake } = proxyLocalActivities<Activities>({ startToCloseTimeout: '1 minute' });

/** Waits until the agent may be run again after its `nth` run: at least `ms`, unless the wait is ended early. */
export type WaitForProvider = (brief: AgentSummary, ms: number, nth: number) => Promise<void>;

/** For a run that its sweep wakes: the run gives up its slot while it waits, and has a slot again when it continues. */
export function waitParked({ sweep, cell, proof: isProven }: RunInput): WaitForProvider {
  const { workflowId } = workflowInfo();
  let woken = 0;
  let waiting: { parked: Parked; proof?: string } | null = null;

  /** Returns whether the sweep knows now that the run waits. */
  async function tell(): Promise<boolean> {
    const { parent } = workflowInfo();
    if (waiting === null || parent === undefined) return false;
    return getExternalWorkflowHandle(parent.workflowId)
      .signal(parkedRun, { cell: cell.id, ...waiting })
      .then(
        () => true,
        () => false, // the sweep has closed: nobody would wake the run
      );
  }

  setHandler(tellParked, async () => {
    await tell();
  });
  setHandler(wakeRun, async (argument) => {
    const signal = readWake(argument);
    if (signal === null) return;
    const { nth, proof } = signal;
    if (isProven !== undefined && !(await verifyWake({ sweep, workflowId, nth, proof }))) return;
    woken = Math.max(woken, nth);
  });
  return async ({ again, provider, account, message, proof }, ms, nth) => {
    const parked: Parked = {
      nth,
      why: again?.why ?? 'busy',
      until: Date.now() + ms,
      message,
      ...(provider === undefined ? {} : { provider }),
      ...(account === undefined ? {} : { account }),
    };
    waiting = { parked, ...(proof === undefined ? {} : { proof }) };
    try {
      if (await tell()) await condition(() => woken >= nth);
      else await condition(() => woken >= nth, ms);
    } finally {
      waiting = null;
    }
  };
}

/** For a run without a scheduler: it waits for its own timer, which a signal can end early. */
export function waitByTimer(): WaitForProvider {
  let skipped = 0;
  setHandler(skipWaitSignal, () => {
    skipped += 1;
  });
  return async ({ again, provider, account }, ms) => {
    // Read before the sweep learns of the limit, so that a signal sent right after that is not missed.
    const before = skipped;
    if (again?.why === 'limit' && provider !== undefined)
      await reportLimit({ provider, ...(account === undefined ? {} : { account }), until: Date.now() + ms });
    await condition(() => skipped > before, ms);
  };
}

/** Reports the limit to the sweep, whose other cells would reach it too. Does nothing for a run without a sweep. */
async function reportLimit(limit: ProviderLimit): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(providerLimited, limit)
    .catch(() => undefined); // the sweep has ended and starts no cells
}
