import type { Metrics, Traces } from '#engine';
import type { ReadEnvironment } from '#host';
import type { Limits } from '#lib';
import type { RunRef } from '#protocol';
import type { ProviderLimits } from '#store';
import type { Host } from '../hosts/host.js';

/** Dependencies that the worker passes to every activity. */
export interface Deps {
  resultsPath: string;
  stateFolder: string;
  /** Identifies the Temporal server that the worker is connected to; the same after a restart of the server. */
  server?: string;
  /**
   * True if the server that answers is the worker's own. Another server may have taken its port while it was down; that
   * one not knowing a workflow proves nothing. Never rejects.
   */
  isOwnServer: () => Promise<boolean>;
  /** This machine as a host of shared results; absent if it has an engine of its own. */
  host?: Host;
  /**
   * The environment for sweeps whose values no command has stored on this machine, as it is now. Throws EnvFileProblem.
   * Absent: that of the process.
   */
  environment?: ReadEnvironment;
  /** Files with secrets of this worker, which sandboxes hide. */
  hidden?: readonly string[];
  /** Absent if the limits of accounts are not shared. */
  providerLimits?: ProviderLimits;
  /** Absent: what users have. */
  limits?: Limits;
  /** Ends other runs of the cell whose workflows have ended, so that no two agents work for it. */
  endOthers?: (run: RunRef) => Promise<void>;
  /** Absent if the worker serves no metrics. */
  metrics?: Metrics;
  /** Absent if no collector of traces is named. */
  traces?: Traces;
}
