import { pullResults } from './pull-results.js';
import { sharedProjectOf } from './shared-project.js';

/** Results that others have found meanwhile may be reused a little later. */
const EVERY_MS = 15_000;

const broughtFor = new Set<string>();
let broughtAt = -Infinity;

/**
 * Brings the results into the mirror that decide what a run in this round may reuse: those of earlier rounds of its sweep,
 * and those of other sweeps that are not too new. Does nothing for results that are not shared.
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
