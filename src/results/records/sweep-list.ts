import type { Cell } from './cell.js';
import type { ResultLine } from './result-line.js';
import { paidCost, totalsOf, type Totals } from '../totals.js';

/** A sweep in a list: what it was, how far it came, and what that took. */
export interface SweepSummary {
  id: string;
  /** ISO 8601 UTC */
  started: string;
  /** `open`: it has not ended. Whether it runs, is paused or waits for `resume`, the files cannot tell. */
  status: 'open' | 'completed' | 'cancelled';
  totals: Totals;
  /** Sum of the costs that are known, of what was run for this sweep; null where none is known. */
  cost_usd: number | null;
  /** How many of its runs have an unknown cost. */
  cost_unknown: number;
  /** From its start to the end of the last run; null until it has ended, or where no run tells. */
  duration_secs: number | null;
  scenarios: string[];
  /** "agent/model" */
  agents: string[];
}

/** What its plan and its summary say of a sweep. */
export interface PlannedSweep {
  id: string;
  started: string;
  status: SweepSummary['status'];
  cells: readonly Cell[];
}

/** Puts sweeps and results together. Of several lines of a cell the last one counts. */
export function summarizeSweeps(
  sweeps: readonly PlannedSweep[],
  results: readonly ResultLine[],
): SweepSummary[] {
  const bySweep = new Map(sweeps.map(({ id }) => [id, new Map<string, ResultLine>()]));
  for (const line of results) bySweep.get(line.sweep)?.set(line.cell, line);
  return sweeps.map((sweep) => {
    const lines = bySweep.get(sweep.id) ?? new Map<string, ResultLine>();
    return summarize(
      sweep,
      sweep.cells.flatMap(({ id }) => lines.get(id) ?? []),
    );
  });
}

function summarize({ id, started, status, cells }: PlannedSweep, lines: ResultLine[]): SweepSummary {
  const results = lines.map((line) => ({ ...line, cached: line.cached_from !== null }));
  const paid = paidCost(results);
  const ends = results.flatMap(({ cached, timestamp, duration_secs: secs }) =>
    cached || secs === null ? [] : [Date.parse(timestamp) + secs * 1000],
  );
  const lasted = ends.length === 0 ? NaN : (Math.max(...ends) - Date.parse(started)) / 1000;
  return {
    id,
    started,
    status,
    totals: totalsOf(results, cells.length),
    cost_usd: paid.usd,
    cost_unknown: paid.unknown,
    duration_secs: status === 'open' || Number.isNaN(lasted) ? null : Math.max(0, lasted),
    scenarios: [...new Set(cells.map(({ scenario }) => scenario))],
    agents: [...new Set(cells.map(({ agent, model }) => `${agent}/${model}`))],
  };
}
