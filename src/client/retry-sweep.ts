import { agentOfCell, knownAgents } from '#agents';
import type { SweepDocument } from '#decide';
import { ownCommand } from '#host';
import { UsageError } from '#lib';
import type { Cell, Outcome, ResultDigest } from '#model';
import { chooseCells } from '#planning';
import type { Plan } from '#scenario';
import { readDigestedLog, sweepDocument } from '#sweeps';
import type { EarlierResults } from './follow/view.js';
import type { Rerun } from './start-sweep.js';

/** The cells of an ended sweep to rerun, besides those that could not be tested. */
export interface RetryChoice {
  /** True to rerun failed cells too. */
  failed: boolean;
  /** These, by id or label, whatever their outcomes, and no others. Empty: none are named. */
  cells: string[];
}

/** The round that a retry starts. */
export interface PlannedRetry {
  rerun: Rerun;
  /** Cells that run in any case. */
  cells: Cell[];
  /** True if more cells may follow: the sweep runs until its verdict is clear. */
  mayFollow: boolean;
  /** True if there is anything to run. */
  isUseful: boolean;
  /** True if an agent that takes part may cost money. */
  mayCost: boolean;
  earlier: EarlierResults;
}

/** Plans what `startRetryRound` starts. @throws UsageError if these cells cannot be chosen */
export async function planRetry(
  resultsPath: string,
  plan: Plan,
  choice: RetryChoice,
  report: (text: string) => void,
): Promise<PlannedRetry> {
  const isDeciding = plan.until_clear !== undefined;
  if (isDeciding && (choice.failed || choice.cells.length > 0))
    throw new UsageError('usage', fixedChoiceMessage(plan.sweep, choice));
  const rerun = rerunOf(plan.cells, choice);
  const results = lastResults(readDigestedLog(resultsPath, report), plan.sweep);
  const isRerun = (cell: string): boolean => willRun(rerun, cell, results.get(cell)?.outcome ?? null);
  const candidates = plan.cells.filter(({ id }) => isRerun(id));
  const known = knownAgents(plan.agents);
  const isUseful = isDeciding
    ? canContinue((await sweepDocument(resultsPath, plan, report)).decision)
    : candidates.length > 0;
  return {
    rerun,
    isUseful,
    mayFollow: isDeciding && isUseful,
    // Cells without a result have not been needed so far.
    cells: isDeciding ? candidates.filter(({ id }) => results.has(id)) : candidates,
    mayCost: candidates.some((cell) => agentOfCell(cell, known)?.free !== true),
    earlier: {
      all: idsOf([...results.values()]),
      replaced: idsOf([...results.values()].filter(({ cell }) => isRerun(cell))),
    },
  };
}

function rerunOf(cells: readonly Cell[], { failed, cells: named }: RetryChoice): Rerun {
  return named.length > 0
    ? { againCells: chooseCells(cells, named).map(({ id }) => id) }
    : { again: ['error', 'cancelled', ...(failed ? (['fail'] as const) : [])] };
}

/** Says why cells of a sweep that runs until its verdict is clear cannot be chosen, and what to do instead. */
const fixedChoiceMessage = (sweep: string, { failed }: Pick<RetryChoice, 'failed'>): string =>
  `${sweep} decides which of two sides is better, and rerunning cells ${failed ? 'because they failed' : 'of your choice'} would decide it in advance. To rerun what could not be tested: ${ownCommand(`retry ${sweep}`)}. To decide again from new runs: ${ownCommand('run --until-clear')} with the same options`;

/** True if more results could change the decision: a clear verdict is final. */
const canContinue = (decision: SweepDocument['decision']): boolean =>
  decision !== undefined &&
  decision.stopped !== 'clear' &&
  ((decision.stopped !== 'most runs' && decision.stopped !== 'futile') || decision.pairs_left_out > 0);

/** True if a retry round runs a cell, whose last outcome is null if it has none. */
const willRun = ({ again, againCells }: Rerun, cell: string, outcome: Outcome | null): boolean =>
  againCells?.includes(cell) ?? (outcome === null || again?.includes(outcome) === true);

/** The last result of each cell of a sweep. */
const lastResults = (log: readonly ResultDigest[], sweep: string): Map<string, ResultDigest> =>
  new Map(log.flatMap((line) => (line.sweep === sweep ? [[line.cell, line] as const] : [])));

const idsOf = (results: readonly ResultDigest[]): Set<string> => new Set(results.map(({ id }) => id));
