import { existsSync } from 'node:fs';
import { type Leftover, readLeftovers, readSweepEnv } from '#host';
import { createRedactor } from '#lib';
import type { RunRef } from '#protocol';
import { stateOfRun } from '#store';
import type { Deps } from '../step/deps.js';
import { openRuns } from '../step/open-runs.js';
import { placesOfRun } from '../step/places-of-run.js';
import { resourcesIn } from './resources.js';
import { tearDown } from './tear-down.js';

/** Tears down what is left of a run, even if its plan is gone. Returns what still could not be removed. */
export async function tearDownAgain(
  deps: Pick<Deps, 'stateFolder' | 'environment'>,
  run: Pick<RunRef, 'run' | 'sweep'>,
): Promise<Leftover[]> {
  const passed = (await readSweepEnv(deps.stateFolder, run.sweep).catch(() => null))?.values;
  const redact = createRedactor({ secrets: Object.values(passed ?? {}) });
  // The end of a sweep removes the values that it was given.
  const values = passed ?? deps.environment?.() ?? process.env;
  const state = stateOfRun(deps.stateFolder, run.run);
  return tearDown(deps, run, await resourcesIn(await placesOfRun(deps, run), state, values), redact);
}

/**
 * Tears down again what is left of runs that have ended. Calls `warn` for each of them of which something is still left.
 * A run that is open cleans up by itself, and one whose private state was deleted has nothing that says what to remove.
 */
export async function tearDownLeftovers(deps: Deps, warn: (line: string) => void): Promise<void> {
  const open = new Set((await openRuns(deps)).map(({ run }) => run));
  for (const { run, sweep } of await readLeftovers(deps.stateFolder)) {
    if (open.has(run) || !existsSync(stateOfRun(deps.stateFolder, run))) continue;
    for (const { name, reason } of await tearDownAgain(deps, { run, sweep }))
      warn(`${run}: ${name} could not be removed: ${reason}`);
  }
}
