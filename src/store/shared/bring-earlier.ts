import { pullResults } from './pull-results.js';
import { sharedProjectOf } from './shared-project.js';

/** Results that other hosts publish meanwhile are found this much later. */
const EVERY_MS = 15_000;

const broughtFor = new Set<string>();
let broughtAt = -Infinity;

/**
 * Brings the results that a run in this round may reuse into the mirror: those of earlier rounds of its sweep, and
 * those that other sweeps had up to a few seconds ago. Does nothing for results that are not shared.
 */
export async function bringEarlier(resultsPath: string, sweep: string, round: number): Promise<void> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) return;
  const key = JSON.stringify([project.stateFolder, sweep, round]);
  if (broughtFor.has(key) && performance.now() - broughtAt < EVERY_MS) return;
  await pullResults(project);
  broughtFor.add(key);
  broughtAt = performance.now();
}
