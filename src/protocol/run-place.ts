/** A host that a run was on, and that showed no sign of life for too long, so that the run was done again. */
export interface LostHost {
  id: string;
  name: string;
  /** When it was given up, ms since the epoch. */
  at: number;
}

/** Where a run takes place. */
export interface RunPlace {
  /** Id of the host. */
  host: string;
  /** Its name, for people. */
  name: string;
  /** The task queue that only this host polls. */
  queue: string;
  /** Proof that the sweep may start the run's workflow. */
  proof: string;
}
