import type { RunRef } from '../workflows/protocol.js';
import { heartbeatNow, heartbeating } from './step/heartbeat.js';
import type { Deps } from './step/deps.js';
import { stopAgents } from './watch/end-run.js';

/**
 * Brings a cancel to the run's step at once: its next heartbeat may be long in coming. Its agent is stopped directly too, as
 * the worker that follows it may be frozen or dead.
 */
export const stopRun =
  (deps: Deps) =>
  (run: RunRef): Promise<void> => {
    heartbeatNow(run.workflowId);
    return heartbeating(() => stopAgents(deps, run));
  };
