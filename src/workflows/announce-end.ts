import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { type RunInput, SIGNALS } from '#protocol';

export const announceEnd = defineSignal(SIGNALS.tellEnd);
export const runEnded = defineSignal<[{ cell: string }]>(SIGNALS.runEnded);

/** Tells the sweep of a run's end, if it has asked for that. */
interface EndAnnouncer {
  /** True if it is to be told. */
  isAsked: () => boolean;
  /** The last action of a run. */
  announce: () => Promise<void>;
}

/**
 * Notes whether the sweep asks for the run's end, by `announceEnd` or when it started the run. A sweep asks when it
 * continues as new; until then the server reports the end to it.
 */
export function createEndAnnouncer({ cell, announcesEnd = false }: RunInput): EndAnnouncer {
  let isAsked = announcesEnd;
  setHandler(announceEnd, () => {
    isAsked = true;
  });
  const announce = async (): Promise<void> => {
    const { parent } = workflowInfo();
    if (!isAsked || parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId)
      .signal(runEnded, { cell: cell.id })
      .catch(() => undefined); // the sweep has closed and waits for no run
  };
  return { isAsked: () => isAsked, announce };
}
