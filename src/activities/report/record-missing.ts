import { type Cell, resultWithoutRun } from '#model';
import type { LostCell } from '#protocol';
import { type Plan, scenarioOf } from '#scenario';
import { appendResult, publishWithoutRun, resultsIndex, resultsLog, sharedProjectOf } from '#store';
import type { Deps } from '../step/deps.js';
import { countCell } from './count-cell.js';

interface Missing {
  plan: Plan;
  /** Those that should have a result by now. */
  cells: readonly Cell[];
  round: number;
  lost: readonly LostCell[];
  /** What happened to cells that were not lost; null if these were never started, and get no result. */
  otherwise: { message: string; wasStarted: boolean } | null;
  /** Whether a later round has begun, so that nothing may be written. */
  isOver: () => Promise<boolean>;
}

/** What is said of a cell that was started and whose workflow ended, if there is no other reason. */
export const LEFT_NO_RESULT = { message: 'the run left no result', wasStarted: true };

/** After so many cells without a result, it is checked again whether the next round has begun. */
const CELLS_PER_CHECK = 100;

/** Gives cells whose runs left no result an error that says why. Returns false if a later round has begun. */
export async function recordMissing(
  { resultsPath, metrics }: Deps,
  { plan, cells, round, lost, otherwise, isOver }: Missing,
): Promise<boolean> {
  const { sweep } = plan;
  const project = await sharedProjectOf(resultsPath);
  const known = resultsIndex(resultsPath).ofSweep(sweep);
  const lostCells = new Map(lost.map((one) => [one.cell, one]));
  let written = 0;
  for (const cell of cells) {
    const lostCell = lostCells.get(cell.id);
    // A lost run may have written its result before it was lost. It may also repeat a run that has one.
    if ((known.get(cell.id)?.startedAt ?? -1) >= (lostCell?.since ?? 0)) continue;
    if (lostCell === undefined && otherwise === null) continue;
    if (written++ % CELLS_PER_CHECK === 0 && (await isOver())) return false;
    const line = resultWithoutRun(cell, {
      ...{ sweep, scenario_hash: scenarioOf(plan, cell)?.hash ?? '', timestamp: new Date().toISOString() },
      ...{ outcome: 'error', message: lostCell?.message ?? otherwise?.message ?? '' },
      // The number of starts is unknown: the agent may have been started.
      ...(lostCell !== undefined || otherwise?.wasStarted === true ? { attempts: null, starts: null } : {}),
    });
    if (project === null) await appendResult(resultsLog(resultsPath), line);
    countCell(
      metrics,
      project === null
        ? line
        : await publishWithoutRun(project, { sweep, cell: cell.id, round, ...redoOf(lostCell) }, line),
    );
  }
  return true;
}

const redoOf = (lost: LostCell | undefined): Pick<LostCell, 'redo'> =>
  lost?.redo === undefined ? {} : { redo: lost.redo };
