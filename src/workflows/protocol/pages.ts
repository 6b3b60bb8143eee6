import type { Cell } from '../../results/records/cell.js';
import type { Outcome } from '../../results/records/result-line.js';

/** A cell of the plan, and what decides when it is started. */
export interface PageCell {
  cell: Cell;
  finished: Outcome | null;
  /** What the cell's runs in this sweep have cost so far, in US dollars, as far as it is known. */
  costUsd?: number | null;
  /** What the cell may cost at most, as far as one can tell; null where one cannot. */
  estimateUsd?: number | null;
  /** The estimate is a limit that the run is held to. */
  limited?: boolean;
  /** Who serves the agent's model; absent where nobody does, or an older build has loaded the page. */
  provider?: string;
  /** The account that pays for it; absent where nobody does, or it is not known. */
  account?: string;
  /** That this sweep may run the cell: for the run's input. */
  proof?: string;
}

export interface CellPage {
  cells: PageCell[];
  total: number;
  /**
   * Of the first page, where there is a budget: what the runs of all cells have cost in this sweep so far, in US dollars, as
   * far as it is known. Absent where an older build has read the page.
   */
  earlierUsd?: number;
}
