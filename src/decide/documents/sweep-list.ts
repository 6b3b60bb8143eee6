import { defined } from '#lib';
import type { Cell, ResultDigest } from '#model';
import { paidCost, resultsByCell, totalsOf, type Totals } from '../totals.js';

/** A sweep in a list: its inputs, progress and cost. */
export interface SweepSummary {
  id: string;
  /** To whom it belongs; absent if not known. */
  owner?: string;
  /** ISO 8601 UTC */
  started: string;
  /** `open`: not ended. The files do not show whether it is running, paused or waiting for `resume`. */
  status: 'open' | 'completed' | 'cancelled';
  totals: Totals;
  /** Sum of the known costs of what was run for this sweep; null if none is known. */
  cost_usd: number | null;
  /** Number of its runs whose cost is unknown or only partly known. */
  cost_unknown: number;
  /** From its start to the end of its last run; null until the sweep has ended, or if no run has a duration. */
  duration_secs: number | null;
  scenarios: string[];
  /** "agent/model" */
  agents: string[];
}

/** The contents of a sweep's plan and summary. */
export interface PlannedSweep {
  id: string;
  owner?: string;
  started: string;
  status: SweepSummary['status'];
  cells: readonly Cell[];
  /** False if the sweep stops as soon as its verdict is clear: then only cells with a result are counted. */
  needsAll: boolean;
}

/** The part of a result that a list of sweeps needs. */
export const toSummarize = ({
  id,
  sweep,
  cell,
  outcome,
  unchecked,
  cached_from,
  cost_usd,
  cost_usd_at_least,
  regraded_from,
  lost_runs,
  timestamp,
  duration_secs,
}: ResultDigest) => ({
  id,
  sweep,
  cell,
  outcome,
  unchecked,
  cached_from,
  cached: cached_from !== null,
  cost_usd,
  ...defined({ cost_usd_at_least }),
  regraded_from,
  ...defined({ lost_runs }),
  timestamp,
  duration_secs,
});
type SummarizedLine = ReturnType<typeof toSummarize>;

/** Combines sweeps with their results. If a cell has several lines, the last one counts. */
export function summarizeSweeps(sweeps: readonly PlannedSweep[], results: readonly SummarizedLine[]): SweepSummary[] {
  const bySweep = new Map(sweeps.map(({ id }) => [id, [] as SummarizedLine[]]));
  for (const line of results) bySweep.get(line.sweep)?.push(line);
  return sweeps.map((sweep) => summarize(sweep, bySweep.get(sweep.id) ?? []));
}

function summarize(
  { id, owner, started, status, cells, needsAll }: PlannedSweep,
  lines: readonly SummarizedLine[],
): SweepSummary {
  const byCell = resultsByCell(lines);
  const results = cells.flatMap(({ id: cell }) => {
    const { line, earlier_runs } = byCell.get(cell) ?? {};
    return line === undefined ? [] : earlier_runs === undefined ? line : { ...line, earlier_runs };
  });
  const paid = paidCost(results);
  const ends = results.flatMap(({ cached, timestamp, duration_secs: secs }) =>
    cached || secs === null ? [] : [Date.parse(timestamp) + secs * 1000],
  );
  const end = ends.reduce((latest, one) => Math.max(latest, one), -Infinity);
  const lasted = ends.length === 0 ? NaN : (end - Date.parse(started)) / 1000;
  return {
    id,
    ...defined({ owner }),
    started,
    status,
    totals: totalsOf(results, needsAll ? cells.length : results.length),
    cost_usd: paid.usd,
    cost_unknown: paid.unknown,
    duration_secs: status === 'open' || Number.isNaN(lasted) ? null : Math.max(0, lasted),
    scenarios: [...new Set(cells.map(({ scenario }) => scenario))],
    agents: [...new Set(cells.map(({ agent, model }) => `${agent}/${model}`))],
  };
}
