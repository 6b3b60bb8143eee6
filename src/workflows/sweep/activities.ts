import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '#activities';
import { untilDone } from '../calls.js';
import { show, type Sweep } from './sweep.js';

export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Performs an activity without which the sweep cannot continue (`untilDone`). `what` is shown if that takes long. */
export const insist = <R>(
  sweep: Sweep,
  what: string,
  call: (options: ActivityOptions) => Promise<R>,
  first?: ActivityOptions,
): Promise<R> => untilDone(what, { troubles: sweep.troubles, show: () => show(sweep) }, call, first);
