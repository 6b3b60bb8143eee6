import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { SweepDocument } from '#decide';
import { markUsed } from '#engine';
import { ownCommand } from '#host';
import { InfrastructureError } from '#lib';
import type { ResultLine } from '#model';
import { type SweepProgress, type SweepResult, type SweepStatus, sweepWorkflowId } from '#protocol';
import type { Plan } from '#scenario';
import { createResultsReader, resultsLog, storedDecision, withWarnings } from '#store';
import { bringSweepRuns, corruptLine, documentOfPlan, FEW_RUNS, reviewReader, withCalibration } from '#sweeps';
import { callServer, LONG_CALL, reasonOf } from '../call-server.js';
import type { Session } from '../session.js';
import { queryProgress } from './progress.js';
import { bringResults } from './bring-results.js';
import { type EarlierResults, pauseOrCancelOnSignals, type Signals, type View } from './view.js';
import { waitingRuns, waitingFor } from './waiting-reason.js';

export interface Following {
  session: Session;
  plan: Plan;
  resultsPath: string;
  /** Page of the sweep in the Web UI; null if unknown. */
  uiUrl: string | null;
  signals: Signals;
  view: View;
  earlier: EarlierResults;
  /** True if signals only end this command. */
  watchOnly?: boolean;
}

export interface FollowedSweep {
  document: SweepDocument;
  /** True if a signal paused or cancelled the sweep. */
  interrupted: boolean;
}

const POLL_MS = 250;
/** Longer than POLL_MS, because a query costs the server and the worker more than checking a file. */
const ASK_MS = 1000;
/** The factor for querying an external server more rarely, because each query may be billed. */
const SPARSER = 10;
/** The time to wait for a server that does not answer. It may come back, and the sweep does not end without it. */
const AWAY_MS = 10 * 60_000;

type End = { status: SweepResult['status'] } | { lost: Error };

/** If the sweep has not ended when following it is over, it is paused. */
const endOf = (end: End | null): { ended?: SweepStatus } =>
  end === null ? { ended: 'paused' } : 'status' in end ? { ended: end.status } : {};

/**
 * Shows a sweep until it ends or, if a signal paused it, until its running agents have ended.
 *
 * @throws InfrastructureError if the sweep's result cannot be obtained
 */
export async function follow({
  session,
  plan,
  resultsPath,
  uiUrl,
  signals,
  view,
  earlier,
  watchOnly = false,
}: Following): Promise<FollowedSweep> {
  const { stateFolder } = session;
  const workflowId = sweepWorkflowId(plan.sweep);
  if (!watchOnly) pauseOrCancelOnSignals(signals, session, plan.sweep, view);
  const { lookNow, bringAll } = bringResults(resultsPath, plan.sweep, session.report);
  const results = resultsOf(resultsPath, plan.sweep, session.report);
  const shown = (): ResultLine[] => results.last().filter(({ id }) => !earlier.replaced.has(id));
  const waiting = waitingFor(resultsPath, stateFolder, plan.sweep);
  let end: End | null = null;
  const result = (client: Client) => client.workflow.getHandle(workflowId).result() as Promise<SweepResult>;
  const onAway = (reason: string | null): void =>
    view.away(reason === null ? null : `the Temporal server does not answer (${reason}); waiting for it`);
  const ended = callServer(session, result, { ...LONG_CALL, awayMs: AWAY_MS, onAway }).then(
    ({ status }) => (end = { status }),
    (error: unknown) => (end = { lost: error instanceof Error ? error : new Error(String(error)) }),
  );
  const ending = (): End | null => end;

  let progress: SweepProgress | null = null;
  // A plain view queries only after its first interval: most sweeps end before it has anything but results to show.
  let queriedAt = view.progressEveryMs > ASK_MS ? Date.now() : 0;
  const progressMs = view.progressEveryMs * (session.engine.external ? SPARSER : 1);
  try {
    while (ending() === null) {
      markUsed(stateFolder);
      lookNow();
      const everyMs = signals.interrupted() ? ASK_MS : progressMs;
      if (Date.now() - queriedAt >= everyMs) {
        progress = await Promise.race([queryProgress(session, workflowId), ended.then(() => null)]);
        queriedAt = Date.now();
      }
      await view.show({ progress, waiting: await waiting(), results: shown() });
      if (watchOnly && signals.interrupted()) break;
      if (signals.interrupted() && progress?.status === 'paused' && onlyWaits(progress, stateFolder, plan.sweep)) break;
      await Promise.race([ended, sleep(POLL_MS)]);
    }
    await bringAll();
    await bringSweepRuns(resultsPath, plan.sweep, FEW_RUNS);
    await view.show({ progress: null, waiting: null, results: shown(), ...endOf(ending()) });
  } finally {
    signals.stop();
    view.done();
  }
  const last = ending();
  if (last !== null && 'lost' in last) throw new InfrastructureError(lostMessage(last.lost, plan.sweep));
  const lines = results.all();
  const found = documentOfPlan(plan, {
    uiUrl,
    status: last?.status ?? 'paused',
    decided: plan.until_clear === undefined ? null : storedDecision(resultsPath, plan.sweep),
    results: lines,
    resultsPath,
  });
  const reviewOf = reviewReader(resultsPath, lines, () => undefined);
  const document = withCalibration(withWarnings(found, lines), resultsPath, lines, reviewOf);
  return { document, interrupted: signals.interrupted() };
}

/**
 * True if none of the active runs works: each of them waits for the provider of its judge, for example, perhaps for
 * days. It goes on in the background, and when the sweep is continued.
 */
function onlyWaits({ active }: SweepProgress, stateFolder: string, sweep: string): boolean {
  if (active.length === 0) return true;
  const waiting = new Set(waitingRuns(stateFolder, sweep).map(({ workflowId }) => workflowId));
  return active.every(({ workflowId }) => waiting.has(workflowId));
}

/** Says why there is no result, and what to do. If only the server is away, the sweep continues when it is back. */
function lostMessage(error: Error, sweep: string): string {
  const resume = ownCommand(`resume ${sweep}`);
  return error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError
    ? `the sweep's workflow ended without a result (${error.message}); continue it with ${resume}`
    : `${error instanceof InfrastructureError ? error.message : `the Temporal server failed (${reasonOf(error)})`}; the sweep continues when the server is back; follow it with ${resume}`;
}

/** The results of a sweep while it runs. Each call reads what was written since the last one. */
interface SweepResults {
  /** All of them, in the order written. */
  all(): ResultLine[];
  /** The last one of each cell, in the order written. */
  last(): ResultLine[];
}

/** Reads the results of a sweep. Warns once about each corrupt line. */
function resultsOf(resultsPath: string, sweep: string, warn: (text: string) => void): SweepResults {
  const log = resultsLog(resultsPath);
  const warned = new Set<number>();
  const reader = createResultsReader(log, (corrupt) => {
    if (!warned.has(corrupt.line)) warn(corruptLine(log, corrupt));
    warned.add(corrupt.line);
  });
  const byId = new Map<string, ResultLine>();
  const all = (): ResultLine[] => {
    for (const { line } of reader.read()) {
      if (line.sweep !== sweep) continue;
      // A cell without a result has the same id each time.
      byId.delete(line.id);
      byId.set(line.id, line);
    }
    return [...byId.values()];
  };
  const last = (): ResultLine[] => {
    const lines = all();
    const lastOf = new Map(lines.map((line) => [line.cell, line]));
    return lines.filter((line) => lastOf.get(line.cell) === line);
  };
  return { all, last };
}
