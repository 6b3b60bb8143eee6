import { z } from 'zod';
import { sumOfCosts } from './cost.js';
import type { Outcome } from './records/result-line.js';

/** Numbers of cells: all of them, and by outcome. */
export const Totals = z.object({
  cells: z.number().int().describe('All cells'),
  passed: z.number().int().describe('Outcome pass'),
  failed: z.number().int().describe('Outcome fail'),
  errored: z.number().int().describe('Outcome error'),
  cancelled: z.number().int().describe('Outcome cancelled'),
  cached: z.number().int().describe('Results that were reused'),
});
export type Totals = z.infer<typeof Totals>;

/** The fields of a cell that are counted. `outcome` is null until there is one; `cached`: the result was reused. */
interface Tallied {
  outcome: Outcome | null;
  cached: boolean;
  cost_usd: number | null;
  cost_usd_at_least?: number;
  /** Set if the work of an earlier run was checked again: only that was paid for. */
  regraded_from?: { paid_usd: number | null } | undefined;
}

/** Counts results by outcome. `cells` is the number of all cells, if some have no result yet. */
export function totalsOf(results: readonly Omit<Tallied, 'cost_usd'>[], cells = results.length): Totals {
  const having = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length;
  return {
    cells,
    passed: having('pass'),
    failed: having('fail'),
    errored: having('error'),
    cancelled: having('cancelled'),
    cached: results.filter(({ cached }) => cached).length,
  };
}

/** Returns how many cells have no result yet. */
export const unfinishedCells = ({ cells, passed, failed, errored, cancelled }: Totals): number =>
  cells - passed - failed - errored - cancelled;

/** What runs cost: a sum in US dollars, and the number of runs whose cost is unknown or only partly known. */
export interface Paid {
  /** The sum of the known costs; null if none is known. */
  usd: number | null;
  unknown: number;
}

/** Adds up the costs of cells that have an outcome. Reused results cost nothing. */
export function paidCost(results: readonly Tallied[]): Paid {
  const paid = results
    .filter(({ outcome, cached }) => outcome !== null && !cached)
    .map(({ cost_usd, cost_usd_at_least, regraded_from }) =>
      regraded_from === undefined ? { cost_usd, cost_usd_at_least } : { cost_usd: regraded_from.paid_usd },
    );
  const known = paid.flatMap(({ cost_usd: usd, cost_usd_at_least: atLeast }) => usd ?? atLeast ?? []);
  const unknown = paid.filter(({ cost_usd: usd }) => usd === null).length;
  return { usd: known.length === 0 ? null : sumOfCosts(known), unknown };
}
