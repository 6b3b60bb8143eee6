import type { RunRef } from '#protocol';
import { heartbeatNow, heartbeating } from './step/heartbeat.js';
import type { Deps } from './step/deps.js';
import { stopAgents } from './watch/end-run.js';

/**
 * Tells the run's current step of a cancel at once, because its next heartbeat may be a long time away. Also stops the
 * agent directly, because the worker that supervises it may be frozen or dead.
 */
export const stopRun =
  (deps: Deps) =>
  (run: RunRef): Promise<void> => {
    heartbeatNow(run.workflowId);
    return heartbeating(() => stopAgents(deps, run));
  };
