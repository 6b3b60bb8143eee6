import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { SIGNALS } from './protocol.js';

export const tellEnd = defineSignal(SIGNALS.tellEnd);
export const runEnded = defineSignal<[{ cell: string }]>(SIGNALS.runEnded);

/**
 * A run's sweep hears of its end by the server, unless the sweep has continued as new: then it has asked the run by
 * `tellEnd` to say so itself. The function given back does that, as the last thing that a run does.
 */
export function tellsEnd(cell: string): () => Promise<void> {
  let isAsked = false;
  setHandler(tellEnd, () => {
    isAsked = true;
  });
  return async () => {
    const { parent } = workflowInfo();
    if (!isAsked || parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId)
      .signal(runEnded, { cell })
      .catch(() => undefined); // it has closed, and waits for nobody
  };
}
