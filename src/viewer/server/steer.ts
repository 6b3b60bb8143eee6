import { storedScenarios } from '../../client/pass-variables-again.js';
import { openSession } from '../../client/session.js';
import { pauseOrCancelSweep, resumeSweep } from '../../client/steer-sweep.js';
import { hasEnded } from '../../client/sweeps/ended-sweep.js';
import { findPlan } from '../../client/sweeps/find-sweep.js';
import { UsageError } from '../../lib/errors/usage-error.js';

const VERBS = ['pause', 'resume', 'cancel'] as const;

interface Source {
  resultsPath: string;
  warn: (text: string) => void;
}

/**
 * Does what the command of this name does, without following the sweep. Starts the engine if it is not running.
 *
 * @throws UsageError if there is no such sweep, it has ended, or there is no such command
 */
export async function steer({ resultsPath, warn }: Source, id: string, verb: string): Promise<void> {
  const known = VERBS.find((name) => name === verb);
  if (known === undefined) throw new UsageError('usage', `'${verb}' cannot be done from the page`);
  const plan = findPlan(resultsPath, id);
  const ended = new UsageError('usage', `${plan.sweep} has already ended`);
  if (hasEnded(resultsPath, plan)) throw ended;
  const scenarios = known === 'resume' ? await storedScenarios(resultsPath, plan) : [];
  const session = await openSession(resultsPath, warn);
  try {
    const isDone =
      known === 'resume'
        ? await resumeSweep(session, resultsPath, plan, { scenarios, file: {} })
        : (await pauseOrCancelSweep(session, resultsPath, plan, known)) !== null;
    if (!isDone) throw ended;
  } finally {
    await session.close();
  }
}
