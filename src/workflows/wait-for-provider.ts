import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { SIGNALS, type AgentBrief, type ProviderLimit } from './protocol.js';

export const goOnNow = defineSignal(SIGNALS.goOn);
export const providerLimited = defineSignal<[ProviderLimit]>(SIGNALS.providerLimited);

/** Waits in a run's workflow, which a signal ends early. */
export function waitsForProvider(): (brief: AgentBrief, ms: number) => Promise<void> {
  let skipped = 0;
  setHandler(goOnNow, () => {
    skipped += 1;
  });
  return async ({ again, provider }, ms) => {
    // Before the sweep hears of the limit: whoever lifts it then is heard.
    const before = skipped;
    if (again?.why === 'limit' && provider !== undefined)
      await tellSweep({ provider, until: Date.now() + ms });
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
