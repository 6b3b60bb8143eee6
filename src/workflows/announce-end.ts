import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { type RunInput, SIGNALS } from '#protocol';

export const announceEnd = defineSignal(SIGNALS.tellEnd);
export const runEnded = defineSignal<[{ cell: string }]>(SIGNALS.runEnded);

/**
 * Returns a function that a run calls as its last action: it notifies the sweep of the run's end, if the sweep has
 * asked for that by `announceEnd` or when it started the run. A sweep asks when it continues as new; until then the
 * server reports the end to it.
 */
export function createEndAnnouncer({ cell, announcesEnd = false }: RunInput): () => Promise<void> {
  let isAsked = announcesEnd;
  setHandler(announceEnd, () => {
    isAsked = true;
  });
  return async () => {
    const { parent } = workflowInfo();
    if (!isAsked || parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId)
      .signal(runEnded, { cell: cell.id })
      .catch(() => undefined); // the sweep has closed and waits for no run
  };
}
