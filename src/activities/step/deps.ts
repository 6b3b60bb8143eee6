import type { RunRef } from '../../workflows/protocol.js';

/** What the worker gives to every activity. */
export interface Deps {
  resultsPath: string;
  stateFolder: string;
  /** Names the Temporal server that the worker works for, the same after a restart. */
  server?: string;
  /**
   * Whether the server that answers is the one that the worker works for. Another may have taken its port while it was
   * down; what that one does not know proves nothing. Never rejects.
   */
  isOwnServer: () => Promise<boolean>;
  /** Ends other runs of the cell whose workflows have ended, so that no two agents work for it. */
  endOthers?: (run: RunRef) => Promise<void>;
}
