import type { RunRef } from '../workflows/protocol.js';
import { heartbeating } from './heartbeat.js';
import { loadRun, type Deps } from './run-context.js';

/** Ends what is still alive of the run and removes its workspace. Raw output and manifests stay in the private state. */
export const cleanUp =
  (deps: Deps) =>
  async (run: RunRef): Promise<void> => {
    const context = await loadRun(deps, run);
    await heartbeating(() => context.environment.dispose(context.handle));
  };
