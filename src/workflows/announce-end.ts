import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { SIGNALS } from './protocol.js';

export const announceEnd = defineSignal(SIGNALS.tellEnd);
export const runEnded = defineSignal<[{ cell: string }]>(SIGNALS.runEnded);

/**
 * Returns a function that a run calls as its last action: it notifies the sweep of the run's end, if the sweep has
 * asked for that by `announceEnd`. A sweep asks when it continues as new; until then the server reports the end to it.
 */
export function createEndAnnouncer(cell: string): () => Promise<void> {
  let isAsked = false;
  setHandler(announceEnd, () => {
    isAsked = true;
  });
  return async () => {
    const { parent } = workflowInfo();
    if (!isAsked || parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId)
      .signal(runEnded, { cell })
      .catch(() => undefined); // the sweep has closed and waits for no run
  };
}
