import {
  findWork,
  openSession,
  pauseOrCancelSweep,
  planRetry,
  planSweep,
  resumeSweep,
  type RetryChoice,
  roundInputs,
  type RoundInputs,
  startPlanned,
  startRetryRound,
} from '#client';
import { groupBy, UsageError } from '#lib';
import type { Cell } from '#model';
import { draftOf, openProject, refuseUnready, resolveRegrade } from '#planning';
import { judgeModelOf, type Plan } from '#scenario';
import { findPlan, hasEnded } from '#sweeps';
import type { AgainAnswer } from '../protocol.js';

const VERBS = ['pause', 'resume', 'cancel'] as const;

interface Source {
  resultsPath: string;
  /** The variables of `--env-file`, as it is now. @throws UsageError if it cannot be read */
  variables: () => NodeJS.Dict<string>;
  warn: (text: string) => void;
}

/**
 * Does what the command of this name does, without following the sweep. Starts the engine if it is not running.
 *
 * @throws UsageError if there is no such sweep, it has ended, or there is no such command
 */
export async function steer({ resultsPath, variables, warn }: Source, id: string, verb: string): Promise<void> {
  const known = VERBS.find((name) => name === verb);
  if (known === undefined) throw new UsageError('usage', `'${verb}' cannot be done from the page`);
  const plan = findPlan(resultsPath, id);
  const ended = new UsageError('usage', `${plan.sweep} has already ended`);
  if (hasEnded(resultsPath, plan)) throw ended;
  // Before the engine is started, because they may be gone.
  const round: RoundInputs | null =
    known === 'resume' ? await roundInputs(openProject(resultsPath), plan, variables()) : null;
  const session = await openSession(resultsPath, warn);
  try {
    const isDone =
      known === 'resume' && round !== null
        ? await resumeSweep(session, resultsPath, plan, round)
        : known !== 'resume' && (await pauseOrCancelSweep(session, resultsPath, plan, known)) !== null;
    if (!isDone) throw ended;
  } finally {
    await session.close();
  }
}

/** Says what `retryFromPage` would run. @throws UsageError if there is no such sweep, or it has not ended */
export async function retryPreview(
  { resultsPath, warn }: Source,
  id: string,
  choice: RetryChoice,
): Promise<AgainAnswer> {
  const plan = endedPlan(resultsPath, id);
  const { cells, isUseful, mayFollow, mayCost } = await planRetry(resultsPath, plan, choice, warn);
  return { cells: isUseful ? cells.length : 0, mayFollow, agents: agentsIn(cells), models: [], mayCost };
}

/** Starts the round that `retry` starts, without following it. @throws UsageError if that is impossible */
export async function retryFromPage(
  { resultsPath, variables, warn }: Source,
  id: string,
  choice: RetryChoice,
): Promise<void> {
  const plan = endedPlan(resultsPath, id);
  const { rerun, isUseful } = await planRetry(resultsPath, plan, choice, warn);
  if (!isUseful) throw new UsageError('nothing_selected', `${plan.sweep} has no cells to run again`);
  const round = await roundInputs(openProject(resultsPath), plan, variables());
  const session = await openSession(resultsPath, warn);
  try {
    await startRetryRound(session, resultsPath, plan, round, rerun);
  } finally {
    await session.close();
  }
}

/** Says what `regradeFromPage` would check again. @throws UsageError if there is nothing that can be checked */
export async function regradePreview({ resultsPath, warn }: Source, id: string): Promise<AgainAnswer> {
  const project = openProject(resultsPath);
  const work = await findWork(resultsPath, id, warn);
  const { scenarios } = await resolveRegrade(project, work, draftOf({}));
  const models = [...new Set(scenarios.flatMap(({ effective }) => judgeModelOf(effective) ?? []))];
  return { cells: work.cells.length, mayFollow: false, agents: [], models, mayCost: models.length > 0 };
}

/**
 * Starts the sweep that `regrade` starts, without following it. Returns its id.
 * @throws UsageError if that is impossible
 */
export async function regradeFromPage(
  { resultsPath, variables, warn }: Source,
  id: string,
): Promise<{ sweep: string }> {
  const project = openProject(resultsPath);
  // As the command without options.
  const draft = draftOf({ variables: variables() });
  const sweep = await resolveRegrade(project, await findWork(resultsPath, id, warn), draft);
  await refuseUnready(sweep, false);
  const written = await planSweep(sweep);
  const session = await openSession(resultsPath, warn);
  try {
    await startPlanned(session, written, sweep);
  } finally {
    await session.close();
  }
  return { sweep: written.plan.sweep };
}

function endedPlan(resultsPath: string, id: string): Plan {
  const plan = findPlan(resultsPath, id);
  if (!hasEnded(resultsPath, plan)) throw new UsageError('sweep_open', `${plan.sweep} has not ended`);
  return plan;
}

const agentsIn = (cells: readonly Cell[]): AgainAnswer['agents'] =>
  groupBy(cells, ({ agent }) => agent).map((group) => ({
    agent: group[0]?.agent ?? '',
    cells: group.length,
  }));
