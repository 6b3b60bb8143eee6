import { condition, defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { defined } from '#lib/pure';
import { type AgentSummary, type Parked, type RunInput, SIGNALS } from '#protocol';
import { readWake } from './arguments.js';
import { type Noting, quickly } from './calls.js';

/** `proof` shows that this run sent the signal. */
export const parkedRun = defineSignal<[{ cell: string; parked: Parked; proof: string }]>(SIGNALS.parked);
/** A sweep that was reset has lost the signals that it had received. */
export const tellParked = defineSignal(SIGNALS.tellParked);
export const wakeRun = defineSignal<[{ nth: number; proof: string }]>(SIGNALS.wake);

/** Waits until the agent may be run again after its `nth` run: at least `ms`, unless the wait is ended early. */
export type WaitForProvider = (brief: AgentSummary, ms: number, nth: number) => Promise<void>;

/**
 * The run gives up its slot while it waits; its sweep wakes it once it has a slot again. A run without a sweep waits by
 * itself.
 */
export function waitParked(input: RunInput, noting: Noting): WaitForProvider {
  const { sweep, cell } = input;
  const { workflowId } = workflowInfo();
  let woken = 0;
  let waiting: { parked: Parked; proof: string } | null = null;

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
    const sent = { sweep, workflowId, nth, proof };
    if (await quickly('verify that its sweep wakes it', noting, input, (steps) => steps.verifyWake(sent)))
      woken = Math.max(woken, nth);
  });
  return async ({ again, provider, account, message, proof = '' }, ms, nth) => {
    const parked: Parked = {
      nth,
      why: again?.why ?? 'busy',
      until: Date.now() + ms,
      message,
      ...defined({ provider, account }),
    };
    waiting = { parked, proof };
    try {
      if (await tell()) await condition(() => woken >= nth);
      else await condition(() => woken >= nth, ms);
    } finally {
      waiting = null;
    }
  };
}
