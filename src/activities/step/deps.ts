import type { Host } from '../../results/records/host.js';
import type { RunRef } from '../../workflows/protocol.js';

/** What the worker passes to every activity. */
export interface Deps {
  resultsPath: string;
  stateFolder: string;
  /** Identifies the Temporal server that the worker is connected to; the same after a restart of the server. */
  server?: string;
  /** The host of a shared project that this worker serves. */
  host?: Host;
  /**
   * Whether the server that answers is the worker's own. Another server may have taken its port while it was down; that
   * one not knowing a workflow proves nothing. Never rejects.
   */
  isOwnServer: () => Promise<boolean>;
  /** Ends other runs of the cell whose workflows have ended, so that no two agents work for it. */
  endOthers?: (run: RunRef) => Promise<void>;
}
