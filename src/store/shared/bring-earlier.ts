import { remembered } from '#host';
import { pullResults } from './pull-results.js';
import { sharedProjectOf } from './shared-project.js';

/** Results that other hosts publish meanwhile are found this much later. */
const EVERY_MS = 15_000;

/** The rounds whose earlier results are there, and when the project was asked last; by the state folder of the project. */
const brought = remembered(() => new Map<string, { rounds: Set<string>; at: number }>());

/**
 * Brings the results that a run in this round may reuse into the mirror: those of earlier rounds of its sweep, and
 * those that other sweeps had up to a few seconds ago. Does nothing for results that are not shared.
 */
export async function bringEarlier(resultsPath: string, sweep: string, round: number): Promise<void> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) return;
  const { stateFolder } = project;
  const key = JSON.stringify([sweep, round]);
  const before = brought().get(stateFolder);
  if (before?.rounds.has(key) === true && performance.now() - before.at < EVERY_MS) return;
  await pullResults(project);
  const rounds = brought().get(stateFolder)?.rounds ?? new Set();
  brought().set(stateFolder, { rounds: rounds.add(key), at: performance.now() });
}
