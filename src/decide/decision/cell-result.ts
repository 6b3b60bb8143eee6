import type { ResultLine } from '#model';

/** What a decision depends on of a cell's results. */
export interface CellResult extends Pick<ResultLine, 'outcome' | 'cost_usd'> {
  /** The number of its runs that ended with an error, were cancelled or were lost with their hosts. */
  errors: number;
}

/** How often a cell is run at most, if its runs end with errors. */
export const MOST_TRIES = 3;
