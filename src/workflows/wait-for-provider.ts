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
/** `proof`: that it is this run which waits; absent where its sweep has none either. */
export const parkedRun = defineSignal<[{ cell: string; parked: Parked; proof?: string }]>(SIGNALS.parked);
export const wakeRun = defineSignal<[{ nth: number; proof?: string }]>(SIGNALS.wake);

const { verifyWake } = proxyLocalActivities<Activities>({ startToCloseTimeout: '1 minute' });

/** Waits until the agent may be run again after its `nth` run, `ms` at least where nobody ends the wait. */
export type WaitForProvider = (brief: AgentSummary, ms: number, nth: number) => Promise<void>;

/** Waits of a run that its sweep wakes: it gives its slot up meanwhile, and has one again when it goes on. */
export function parksUntilWoken({ sweep, cell, proof: isProven }: RunInput): WaitForProvider {
  const { workflowId } = workflowInfo();
  let woken = 0;
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
    const { parent } = workflowInfo();
    const isParked =
      parent !== undefined &&
      (await getExternalWorkflowHandle(parent.workflowId)
        .signal(parkedRun, { cell: cell.id, parked, ...(proof === undefined ? {} : { proof }) })
        .then(
          () => true,
          () => false, // its sweep has closed: nobody would wake it
        ));
    if (isParked) await condition(() => woken >= nth);
    else await condition(() => woken >= nth, ms);
  };
}

/** Waits of a run without a scheduler: a timer of its own, which a signal ends early. */
export function waitsForProvider(): WaitForProvider {
  let skipped = 0;
  setHandler(skipWaitSignal, () => {
    skipped += 1;
  });
  return async ({ again, provider, account }, ms) => {
    // Before the sweep hears of the limit: whoever lifts it then is heard.
    const before = skipped;
    if (again?.why === 'limit' && provider !== undefined)
      await tellSweep({ provider, ...(account === undefined ? {} : { account }), until: Date.now() + ms });
    await condition(() => skipped > before, ms);
  };
}

/** Its other cells would meet the same limit. A run without a sweep tells nobody. */
async function tellSweep(limit: ProviderLimit): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(providerLimited, limit)
    .catch(() => undefined); // it has ended, and starts no cells
}
