import type { Cell } from '#model';
import type { RunNumbers } from './names.js';
import type { LostHost, RunResult } from './run.js';
import type { SweepOrigin } from './sweep.js';

/** A run of a cell. If hosts were lost, the cell has several runs, each on another host. */
interface RunOfSweep extends RunNumbers {
  sweep: string;
  cell: Cell;
}

/** A run that needs a host. */
export interface PlaceInput extends RunOfSweep {
  origin: SweepOrigin;
}

/** Asks for the newest signs of life of hosts. */
export interface SignsInput {
  sweep: string;
  hosts: string[];
}

/** For each host, a number that changes as long as the host lives; null if it has shown none. */
export type Signs = Record<string, number | null>;

/** Runs of a host that shows no sign of life. */
export interface LostRunsInput {
  sweep: string;
  round: number;
  host: LostHost;
  runs: Pick<RunOfSweep, 'cell' | 'redo' | 'incarnation'>[];
  origin: SweepOrigin;
}

/** The end of a run of a lost host. */
export interface LostRun {
  cell: string;
  /** Its result if the host had published one, null if the run must be done again. */
  result: RunResult | null;
}
