import type { Outcome, ResultLine } from '../../results/records/result-line.js';
import { readEnvFile } from '../shared/env-file.js';
import { followToEnd } from '../shared/follow-to-end.js';
import { printNotice } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { chooseCells } from '../../planning/choose-cells.js';
import { openProject } from '../../planning/project.js';
import { openSession } from '../../client/session.js';
import { printAlreadyEnded, printEndedSweep } from '../shared/print-sweep.js';
import { hasEnded } from '../../client/sweeps/ended-sweep.js';
import { findPlan } from '../../client/sweeps/find-sweep.js';
import { readLog } from '../../client/sweeps/read-log.js';
import { passNewValues, storedScenarios } from '../../client/pass-variables-again.js';
import { startRetryRound } from '../../client/next-round.js';
import type { Rerun } from '../../client/start-sweep.js';
import { updateSweep, type FollowOptions } from '../../client/update-sweep.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';
import type { Cell } from '../../results/records/cell.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { UsageError } from '../../lib/errors/usage-error.js';

export interface RetryOptions extends FollowOptions {
  /** For a running sweep: stop waiting for provider limits. */
  now: boolean;
  /** Also rerun cells that failed. */
  failed: boolean;
  /** Ids or labels of cells to rerun, whatever their outcomes. */
  cells: string[];
}

/** `retry`: reruns cells of an ended sweep, or ends the waits of a running sweep. Returns the exit code. */
export async function retry(id: string, options: RetryOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const plan = findPlan(resultsPath, id);
  if (plan.until_clear !== undefined && (options.failed || options.cells.length > 0))
    throw new UsageError('usage', whyNotChosen(plan.sweep, options));
  const rerun = rerunOf(plan.cells, options);
  const results = lastResults(readLog(resultsPath, printNotice), plan.sweep);
  const isRerun = (cell: string): boolean => willRun(rerun, cell, results.get(cell)?.outcome ?? null);
  if (hasEnded(resultsPath, plan)) {
    const hasCells =
      plan.until_clear === undefined
        ? plan.cells.some((cell) => isRerun(cell.id))
        : canContinue((await sweepDocument(resultsPath, plan, printNotice)).decision);
    if (!hasCells) {
      printNotice(
        `${plan.sweep}: no cells to rerun${options.failed || plan.until_clear !== undefined ? '' : '; use --failed to rerun those that failed'}`,
      );
      return printEndedSweep(resultsPath, plan, options.json);
    }
  } else if (!options.now) {
    throw new UsageError(
      'sweep_open',
      `${plan.sweep} has not ended; use --now to stop waiting for providers, or ${ownCommand(`resume ${plan.sweep}`)} to follow it`,
    );
  }
  const round = { scenarios: await storedScenarios(resultsPath, plan), file: readEnvFile(options.envFile) };
  const session = await openSession(resultsPath, printNotice, options);
  try {
    const ended = hasEnded(resultsPath, plan);
    if (ended) {
      await startRetryRound(session, resultsPath, plan, round, rerun);
    } else {
      await passNewValues(session, plan, round);
      if ((await updateSweep(session, plan.sweep, 'goOn')) === null)
        return await printAlreadyEnded(resultsPath, plan, options.json);
    }
    const replaced = ended ? [...results.values()].filter(({ cell }) => isRerun(cell)) : [];
    const earlier = { all: idsOf([...results.values()]), replaced: idsOf(replaced) };
    return await followToEnd(session, plan, resultsPath, options.json, { earlier });
  } finally {
    await session.close();
  }
}

function rerunOf(cells: readonly Cell[], { failed, cells: named }: RetryOptions): Rerun {
  return named.length > 0
    ? { againCells: chooseCells(cells, named).map(({ id }) => id) }
    : { again: ['error', 'cancelled', ...(failed ? (['fail'] as const) : [])] };
}

/** Says why cells of a sweep that runs until its verdict is clear cannot be chosen, and what to do instead. */
const whyNotChosen = (sweep: string, { failed }: Pick<RetryOptions, 'failed'>): string =>
  `${sweep} decides which of two sides is better, and rerunning cells ${failed ? 'because they failed' : 'of your choice'} would decide it in advance. To rerun what could not be tested: ${ownCommand(`retry ${sweep}`)}. To decide again from new runs: ${ownCommand('run --until-clear')} with the same options`;

/** Whether more results could change what was decided: a clear verdict is final. */
const canContinue = (decision: SweepDocument['decision']): boolean =>
  decision !== undefined &&
  decision.stopped !== 'clear' &&
  (decision.stopped !== 'most runs' || decision.pairs_left_out > 0);

/** Whether a retry round runs a cell, whose last outcome is null if it has none. */
const willRun = ({ again, againCells }: Rerun, cell: string, outcome: Outcome | null): boolean =>
  againCells?.includes(cell) ?? (outcome === null || again?.includes(outcome) === true);

/** The last result of each cell of a sweep. */
const lastResults = (log: readonly ResultLine[], sweep: string): Map<string, ResultLine> =>
  new Map(log.flatMap((line) => (line.sweep === sweep ? [[line.cell, line] as const] : [])));

const idsOf = (results: readonly ResultLine[]): Set<string> => new Set(results.map(({ id }) => id));
