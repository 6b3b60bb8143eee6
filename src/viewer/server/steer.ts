import { openSession, pauseOrCancelSweep, resumeSweep, type RoundInputs, storedScenarios } from '#client';
import { UsageError } from '#lib';
import { findPlan, hasEnded } from '#sweeps';

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
export async function steer(
  { resultsPath, variables, warn }: Source,
  id: string,
  verb: string,
): Promise<void> {
  const known = VERBS.find((name) => name === verb);
  if (known === undefined) throw new UsageError('usage', `'${verb}' cannot be done from the page`);
  const plan = findPlan(resultsPath, id);
  const ended = new UsageError('usage', `${plan.sweep} has already ended`);
  if (hasEnded(resultsPath, plan)) throw ended;
  // before the engine is started, because they may be gone
  const round: RoundInputs | null =
    known === 'resume' ? { scenarios: await storedScenarios(resultsPath, plan), file: variables() } : null;
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
