import type { Cell, Outcome } from '#model';

/** An account's limit that a run has reached. The sweep starts no cells of that account until it ends. */
export interface ProviderLimit {
  provider: string;
  /** Absent if the provider has only one account here. */
  account?: string;
  /** ms since the epoch */
  until: number;
}

/** The common properties of cells that may start at the same times. */
export interface CellKind {
  agent: string;
  model: string;
  /** Provider of the agent's model. Absent if there is none. */
  provider?: string;
  /** The account that pays. Absent if there is none, or if it is unknown. */
  account?: string;
}

/** A cell of the plan, with what decides when it is started. */
export interface PageCell extends Pick<CellKind, 'provider' | 'account'> {
  cell: Cell;
  finished: Outcome | null;
  /** The most that the cell is expected to cost, US dollars; null if unknown. */
  estimateUsd?: number | null;
  /** True if the estimate is a limit that is enforced on the run. */
  limited?: boolean;
  /** True if the user named the cell for a rerun: its result must not come from the cache. */
  fresh?: true;
  /**
   * Number of results that the cell has in its sweep, if it is run again in the same round because the last is an
   * error. Absent otherwise.
   */
  redo?: number;
  /** Proof that this sweep may run the cell; passed on in the run's input. */
  proof?: string;
}

export interface CellPage {
  cells: PageCell[];
  total: number;
  /** Kinds of the cells after this page. Absent if it was read by positions. */
  rest?: CellKind[];
  /** Limits of accounts that other sweeps have reached. Absent if there are none. */
  limits?: ProviderLimit[];
  /**
   * On the first page of a sweep with a budget: known cost of the runs of all cells in this sweep so far, US dollars.
   */
  earlierUsd?: number;
}
