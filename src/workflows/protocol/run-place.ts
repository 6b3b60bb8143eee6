export type { LostHost } from '../../results/records/lost-host.js';

/** Where a run takes place. */
export interface RunPlace {
  /** Id of the host. */
  host: string;
  /** Its name, for people. */
  name: string;
  /** The task queue that only this host polls. */
  queue: string;
  /** Proof that the sweep may start the run's workflow. */
  proof?: string;
}
