import { z } from 'zod';
import { sumOfCosts } from './cost.js';
import type { Outcome } from './records/result-line.js';

/** How many cells there are, and what became of them. */
export const Totals = z.object({
  cells: z.number().int().describe('All cells'),
  passed: z.number().int().describe('Outcome pass'),
  failed: z.number().int().describe('Outcome fail'),
  errored: z.number().int().describe('Outcome error'),
  cancelled: z.number().int().describe('Outcome cancelled'),
  cached: z.number().int().describe('Results that were reused'),
});
export type Totals = z.infer<typeof Totals>;

/** What of a cell is counted. `outcome` is null before it has one; `cached`: nothing was run for it. */
interface Tallied {
  outcome: Outcome | null;
  cached: boolean;
  cost_usd: number | null;
  cost_usd_at_least?: number;
}

/** Counts results; of `cells`, where there may be more than have a result. */
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

/** How many cells have no result yet. */
export const waitingIn = ({ cells, passed, failed, errored, cancelled }: Totals): number =>
  cells - passed - failed - errored - cancelled;

/** What was paid: US dollars as far as they are known, and for how many runs they are not, or not as a whole. */
export interface Paid {
  /** null where no cost is known. */
  usd: number | null;
  unknown: number;
}

/** Adds up what was paid. What was reused costs nothing now. */
export function paidCost(results: readonly Tallied[]): Paid {
  const paid = results.filter(({ outcome, cached }) => outcome !== null && !cached);
  const known = paid.flatMap(({ cost_usd: usd, cost_usd_at_least: atLeast }) => usd ?? atLeast ?? []);
  const unknown = paid.filter(({ cost_usd: usd }) => usd === null).length;
  return { usd: known.length === 0 ? null : sumOfCosts(known), unknown };
}
