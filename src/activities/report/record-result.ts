import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { type Cell, createTrace, type ResultLine, resultWithoutRun, type TracedRun } from '#model';
import { type LostCell, parseRunWorkflowId, type RunRef, type RunResult } from '#protocol';
import {
  appendLines,
  appendResult,
  publishResult,
  publishWithoutRun,
  readEvents,
  resultsIndex,
  type ResultsIndex,
  resultsLog,
  runFiles,
  sharedProjectOf,
} from '#store';
import type { Metrics } from '#engine';
import { predictsCost } from '#decide';
import { type Plan, scenarioOf } from '#scenario';
import { createYielder, dollars } from '#lib';
import type { Deps } from '../step/deps.js';

/** Counts a cell that got this result, and what was spent on it. */
function countCell(metrics: Metrics | undefined, line: ResultLine): void {
  const { agent, model, outcome } = line;
  const reused = line.cached_from !== null;
  metrics?.cellEnded({ agent, model, outcome, reused }, reused ? null : paidFor(line));
}

/** US dollars that were spent on a run, as far as they are known; null if nothing is known. */
const paidFor = ({ cost_usd, cost_usd_at_least, regraded_from }: ResultLine): number | null =>
  // The work that was checked again has been paid for before.
  regraded_from === undefined ? (cost_usd ?? cost_usd_at_least ?? null) : regraded_from.paid_usd;

/** Returns what a run's workflow tells its sweep about a result. */
export function resultOfLine(line: ResultLine): RunResult {
  const { outcome, message, cost_usd, cost_usd_at_least = 0, regraded_from } = line;
  // The work that was checked has been paid for before.
  if (regraded_from !== undefined) return { outcome, message, costUsd: regraded_from.paid_usd };
  return cost_usd === null || !predictsCost(line)
    ? { outcome, message, costUsd: null, knownUsd: cost_usd ?? cost_usd_at_least }
    : { outcome, message, costUsd: cost_usd };
}

/**
 * Records the result of a run, which makes the run known. Returns the line that counts: of a shared project, that may
 * be one that an earlier attempt published.
 * @throws ApplicationFailure (non-retryable) if the run was given up, and the cell is run on another host
 */
export async function recordResult(
  { resultsPath, metrics }: Deps,
  { sweep, cell, run: folder, workflowId }: RunRef,
  line: ResultLine,
): Promise<ResultLine> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) {
    await appendResult(resultsLog(resultsPath), line);
    countCell(metrics, line);
    return line;
  }
  const files = runFiles(join(resultsPath, folder));
  // `cleanUp` would remove them only after others have got the folder.
  for (const path of [files.liveEvents, files.workspace]) await rm(path, { force: true });
  const run = { sweep, cell: cell.id, ...parseRunWorkflowId(workflowId) };
  const published = await publishResult(project, run, line);
  if (published === 'lost')
    throw ApplicationFailure.nonRetryable(
      'this host was taken for lost, and the cell is run again elsewhere; this result does not count',
      'Superseded',
    );
  if (published !== 'published') return published.line;
  countCell(metrics, line);
  return line;
}

/** Records results that cells take over from finished runs. For results that are not shared. */
export async function recordReused({ resultsPath, metrics }: Deps, lines: readonly ResultLine[]): Promise<void> {
  if (lines.length === 0) return;
  const index = resultsIndex(resultsPath);
  let lacking: ResultLine[] = [];
  await appendLines(resultsLog(resultsPath), () => {
    lacking = lines.filter(({ sweep, cell }) => !index.ofSweep(sweep).has(cell));
    return lacking.map((line) => JSON.stringify(line));
  });
  for (const line of lacking) countCell(metrics, line);
}

interface CellsWithoutResult {
  plan: Plan;
  /** The cells that should have a result by now. */
  cells: readonly Cell[];
  round: number;
  lost: readonly LostCell[];
  /** The error of cells that were not lost; null if these were never started, and get no result. */
  otherwise: { message: string; wasStarted: boolean } | null;
  /** True if a later round has begun, so that nothing may be written. */
  isOver: () => Promise<boolean>;
}

/** The error of a cell that was started and whose workflow ended, if there is no other reason. */
export const LEFT_NO_RESULT = { message: 'the run left no result', wasStarted: true };

/** After so many cells without a result, it is checked again whether the next round has begun. */
const CELLS_PER_CHECK = 100;

/** Gives cells whose runs left no result an error that says why. Returns false if a later round has begun. */
export async function recordMissing(
  { resultsPath, metrics }: Deps,
  { plan, cells, round, lost, otherwise, isOver }: CellsWithoutResult,
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
      sweep,
      scenario_hash: scenarioOf(plan, cell)?.hash ?? '',
      timestamp: new Date().toISOString(),
      outcome: 'error',
      message: lostCell?.message ?? otherwise?.message ?? '',
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

/** Sends the trace of a run that has ended, if a collector is named. Whatever goes wrong, the run has its result. */
export async function sendTrace({ traces }: Pick<Deps, 'traces'>, run: TracedRun, events: string): Promise<void> {
  if (traces === undefined) return;
  const trace = createTrace(run, traces.withContent);
  const yieldIfDue = createYielder();
  try {
    for (const event of existsSync(events) ? readEvents(events) : []) {
      await yieldIfDue();
      trace.add(event);
    }
  } catch {
    // Events that cannot be read: the steps are known.
  }
  traces.send(run.record.run_id, trace.end());
}

/** Known cost of all runs of a sweep so far, US dollars. */
export const spentOn = ({ sweep, cells }: Plan, index: ResultsIndex): number =>
  dollars(cells.reduce((sum, { id }) => sum + index.spent(sweep, id), 0));
