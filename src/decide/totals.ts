import { z } from 'zod';
import { type Outcome, type ResultDigest, sumOfCosts, Usd } from '#model';

/** Numbers of cells: all of them, and by outcome. */
export const Totals = z.object({
  cells: z.int().describe('All cells'),
  passed: z.int().describe('Outcome pass'),
  failed: z.int().describe('Outcome fail'),
  errored: z.int().describe('Outcome error'),
  cancelled: z.int().describe('Outcome cancelled'),
  cached: z.int().describe('Results that were reused'),
  unchecked: z
    .object({
      passed: z.int().describe('Of passed'),
      failed: z.int().describe('Of failed'),
    })
    .exactOptional()
    .describe('Runs in which nothing was checked, which count in no rate; absent: none'),
});
export type Totals = z.infer<typeof Totals>;

/**
 * Runs of a cell that another run of the same sweep replaced, because they ended with an error or their host was lost,
 * for example.
 */
export const EarlierRuns = z.object({
  runs: z.int().describe('Number of runs'),
  lost: z.int().exactOptional().describe('How many of them were lost with their hosts; absent: none'),
  cost_usd: Usd.nullable().describe('Their known costs; null: none is known'),
  cost_unknown: z.int().describe('Runs whose cost is unknown or only partly known'),
});
export type EarlierRuns = z.infer<typeof EarlierRuns>;

/** The fields of a cell that are counted. `outcome` is null until there is one; `cached`: the result was reused. */
interface Tallied {
  outcome: Outcome | null;
  unchecked?: true | undefined;
  cached: boolean;
  cost_usd: number | null;
  cost_usd_at_least?: number;
  /** Set if the work of an earlier run was checked again: only that was paid for. */
  regraded_from?: { paid_usd: number | null } | undefined;
  earlier_runs?: EarlierRuns;
}

/** Counts results by outcome. `cells` is the number of all cells, if some have no result yet. */
export function totalsOf(results: readonly Omit<Tallied, 'cost_usd'>[], cells = results.length): Totals {
  const unchecked = results.filter((result) => result.unchecked === true);
  const of = (outcome: Outcome): number => unchecked.filter((result) => result.outcome === outcome).length;
  const having = (outcome: Outcome): number => results.reduce((sum, one) => sum + (one.outcome === outcome ? 1 : 0), 0);
  return {
    cells,
    passed: having('pass'),
    failed: having('fail'),
    errored: having('error'),
    cancelled: having('cancelled'),
    cached: results.filter(({ cached }) => cached).length,
    ...(unchecked.length === 0 ? {} : { unchecked: { passed: of('pass'), failed: of('fail') } }),
  };
}

/** Returns how many cells have no result yet. */
export const unfinishedCells = ({ cells, passed, failed, errored, cancelled }: Totals): number =>
  cells - passed - failed - errored - cancelled;

/** Costs of runs: a sum in US dollars, and the number of runs whose cost is unknown or only partly known. */
export interface Paid {
  /** The sum of the known costs; null if none is known. */
  usd: number | null;
  unknown: number;
}

/** Adds up the costs of cells that have an outcome, with their earlier runs. Reused results cost nothing. */
export function paidCost(results: readonly Tallied[]): Paid {
  const known: number[] = [];
  let unknown = 0;
  const add = (usd: number | null): void => {
    if (usd !== null) known.push(usd);
  };
  for (const { outcome, cached, cost_usd: whole, cost_usd_at_least: atLeast, regraded_from, earlier_runs } of results) {
    add(earlier_runs?.cost_usd ?? null);
    unknown += earlier_runs?.cost_unknown ?? 0;
    if (outcome === null || cached) continue;
    const usd = regraded_from === undefined ? whole : regraded_from.paid_usd;
    add(usd ?? (regraded_from === undefined ? (atLeast ?? null) : null));
    unknown += usd === null ? 1 : 0;
  }
  return { usd: known.length === 0 ? null : sumOfCosts(known), unknown };
}

/** Says how many runs were done again, whose cost is part of their sweep's; null: none. */
export function doneAgainText(cells: readonly Pick<Tallied, 'earlier_runs'>[]): string | null {
  let [runs, lost] = [0, 0];
  for (const { earlier_runs: earlier } of cells) {
    runs += earlier?.runs ?? 0;
    lost += earlier?.lost ?? 0;
  }
  if (runs === 0) return null;
  const why = lost === 0 ? '' : runs === 1 ? ' (lost with its host)' : ` (${lost} lost with their hosts)`;
  return `${runs} ${runs === 1 ? 'run' : 'runs'} done again${why}`;
}

/** The part of a result that is needed to group results by cell. */
type LineOfCell = Pick<ResultDigest, 'id' | 'cell' | 'cached_from' | 'lost_runs'> & Omit<Tallied, 'cached'>;

/** The result of a cell, and the runs before it. */
export interface CellResult<L = ResultDigest> {
  line: L;
  earlier_runs?: EarlierRuns;
}

/**
 * Groups the results of a sweep by cell: the last one counts, and what those before it cost was paid, too.
 *
 * @param lines of one sweep, in the order written
 */
export function resultsByCell<L extends LineOfCell>(lines: readonly L[]): Map<string, CellResult<L>> {
  const byCell = new Map<string, CellResult<L>>();
  // Most cells have one line.
  const more = new Map<string, Map<string, L>>();
  for (const line of lines) {
    const { line: before } = byCell.get(line.cell) ?? {};
    byCell.set(line.cell, { line });
    if (before === undefined) continue;
    const runs = more.get(line.cell) ?? new Map([[before.id, before]]);
    runs.delete(line.id);
    more.set(line.cell, runs.set(line.id, line));
  }
  for (const [cell, found] of byCell) {
    const earlier = [...(more.get(cell)?.values() ?? [])].slice(0, -1);
    if (earlier.length > 0 || found.line.lost_runs !== undefined)
      Object.assign(found, earlierRuns(earlier, found.line));
  }
  return byCell;
}

function earlierRuns(earlier: readonly LineOfCell[], line: LineOfCell): Pick<CellResult, 'earlier_runs'> {
  const paid = paidCost(earlier.map((run) => ({ ...run, cached: run.cached_from !== null })));
  // Each round of a cell says which runs were lost in it. Nobody knows what those have cost.
  const lost = [...earlier, line].reduce((sum, { lost_runs = 0 }) => sum + lost_runs, 0);
  const runs = earlier.length + lost;
  if (runs === 0) return {};
  return {
    earlier_runs: {
      runs,
      ...(lost === 0 ? {} : { lost }),
      cost_usd: paid.usd,
      cost_unknown: paid.unknown + lost,
    },
  };
}
