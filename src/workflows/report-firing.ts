import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '#activities';
import type { FiringEnd, ReportedFiring } from '#protocol';
import { untilDone, type Troubles } from './calls.js';
import { troubleText } from './ui.js';

const { reportScheduled } = proxyActivities<Activities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '60 seconds',
});

const { sendWebhook } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 3, maximumInterval: '2 minutes' },
});

/**
 * Reports a firing that has ended: compares its sweep with the reference, writes the report, and sends the webhook. A
 * workflow of its own, so that the next firing need not wait for it.
 */
export async function reportFiring(end: FiringEnd): Promise<ReportedFiring> {
  const { schedule, proof, execution, firing } = end;
  const troubles: Troubles = new Map();
  const show = (): void =>
    setCurrentDetails([...troubles].map(([what, message]) => troubleText({ what, message })).join('\n\n'));
  const { exitCode, webhook } = await untilDone('write the report', { troubles, show }, (options) =>
    reportScheduled.executeWithOptions(options, [end]),
  );
  if (webhook) await sendWebhook({ schedule, proof, execution, firing });
  return { firing, exitCode };
}
