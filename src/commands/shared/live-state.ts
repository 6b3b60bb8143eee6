import { hasRunEnded, parkedIn } from '#client';
import { costOwner, decisionText, type Paid, paidCost, progressText, remainingSecs, failureReason } from '#decide';
import type { Outcome, ResultLine } from '#model';
import type { SweepProgress } from '#protocol';
import { cellNames, durationText, type EndedRow, type LiveState, waitText } from '#reports';
import type { Plan } from '#scenario';

/** The state of a run that holds a slot. */
export interface ShownRun {
  cell: string;
  step: string;
  since: number;
  doing: string | null;
  note: string | null;
  /** The cost of its agent so far; null: unknown. */
  costUsd: number | null;
}

interface KnownProgress {
  /** The last known progress; null if there is none yet, or the sweep has ended. */
  progress: SweepProgress | null;
  /** The first runs that hold a slot. */
  runs: readonly ShownRun[];
  results: readonly ResultLine[];
  /** False if no more cells are started. */
  goesOn: boolean;
}

type CellState = Pick<
  LiveState,
  | 'about'
  | 'total'
  | 'totals'
  | 'running'
  | 'active'
  | 'parkedTotal'
  | 'parked'
  | 'failures'
  | 'ended'
  | 'remainingSecs'
  | 'decision'
  | 'spent'
>;

/**
 * Returns a function that says what the live view shows of a sweep's cells. Results in `earlier` are counted, but not
 * listed.
 */
export function cellStates(
  plan: Pick<Plan, 'cells' | 'max_usd' | 'until_clear'>,
  earlier: ReadonlySet<string> = new Set(),
): (known: KnownProgress, now: number) => CellState {
  const cells = new Map(plan.cells.map((cell) => [cell.id, cell]));
  const kinds = new Map(plan.cells.map((cell) => [cell.id, costOwner(cell)]));
  const { nameOf, about } = cellNames(plan.cells);
  const name = (id: string): string[] => {
    const cell = cells.get(id);
    return cell === undefined ? [id] : nameOf(cell);
  };
  const row = (line: ResultLine): EndedRow => ({
    name: name(line.cell),
    outcome: line.outcome,
    message: line.outcome === 'pass' ? line.message : failureReason(line),
    took: durationText(line.duration_secs, line.cached_from !== null),
  });
  return ({ progress, runs, results, goesOn }, now) => {
    const last = new Map(results.map((line) => [line.cell, line]));
    const lines = [...last.values()];
    const listed = lines.filter(({ id }) => !earlier.has(id));
    const having = (outcome: Outcome): number => lines.filter((line) => line.outcome === outcome).length;
    const active = (progress?.active ?? []).filter((run) => !hasRunEnded(run, last.get(run.cell)));
    const going = new Set(active.map(({ cell }) => cell));
    const parked = progress === null ? [] : parkedIn(progress);
    const failed = ({ outcome }: ResultLine): boolean => outcome === 'fail' || outcome === 'error';
    const waits = new Map(parked.map(({ cell, until }) => [cell, Math.max(0, until - now) / 1000]));
    const waiting = plan.cells.filter(({ id }) => waits.has(id) || (!last.has(id) && !going.has(id)));
    const timed = (id: string, secs: number) => ({ kind: kinds.get(id) ?? '', secs });
    return {
      about,
      // A sweep that runs until its verdict is clear will run only the released cells.
      total: plan.until_clear === undefined ? plan.cells.length : Math.max(progress?.total ?? 0, lines.length),
      totals: {
        passed: having('pass'),
        failed: having('fail'),
        errored: having('error'),
        cancelled: having('cancelled'),
      },
      running: active.length,
      active: runs
        .filter(({ cell }) => going.has(cell))
        .map(({ cell, step, since, doing, note }) => ({ name: name(cell), step, since, doing, note })),
      parkedTotal: parked.length,
      parked: parked.map((wait) => ({
        name: name(wait.cell),
        wait: waitText(wait, now),
        reason: wait.message ?? '',
      })),
      failures: listed.filter(failed).map(row),
      ended: listed.filter((line) => !failed(line)).map(row),
      remainingSecs:
        // The number of rounds to come is unknown.
        progress === null || !goesOn || plan.until_clear !== undefined
          ? null
          : remainingSecs({
              finished: lines.flatMap(({ cell, duration_secs: secs, cached_from: from }) =>
                secs === null || from !== null ? [] : [timed(cell, secs)],
              ),
              running: active.map(({ cell, since }) => timed(cell, Math.max(0, now - since) / 1000)),
              waiting: waiting.map(({ id }) => timed(id, waits.get(id) ?? 0)),
            }),
      decision:
        progress?.decision === undefined ? [] : [decisionText(progress.decision), progressText(progress.decision)],
      spent: spentOf(
        [...new Map(results.map((line) => [line.id, line])).values()],
        runs.filter(({ cell }) => going.has(cell)),
        plan.max_usd,
      ),
    };
  };
}

/** The cost of the finished runs and of the agents that are shown. Null if nothing is known and there is no budget. */
function spentOf(
  lines: readonly ResultLine[],
  runs: readonly ShownRun[],
  maxUsd: number | null,
): (Paid & { maxUsd: number | null }) | null {
  const paid = paidCost([
    ...lines.map((line) => ({ ...line, cached: line.cached_from !== null })),
    ...runs.flatMap(({ costUsd }) =>
      costUsd === null ? [] : [{ outcome: 'pass' as const, cached: false, cost_usd: costUsd }],
    ),
  ]);
  return maxUsd === null && (paid.usd ?? 0) === 0 ? null : { ...paid, maxUsd };
}
