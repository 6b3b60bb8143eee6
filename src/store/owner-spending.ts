import { existsSync } from 'node:fs';
import { readText, remembered } from '#host';
import { dollars, isJsonObject, parseJson } from '#lib';
import { monthIn } from './result-facts.js';
import { planFile } from './results-folder.js';
import { resultsIndex } from './results-index.js';
import { pullResults } from './shared/pull-results.js';
import { sharedProjectOf } from './shared/shared-project.js';

/** The month of a time in UTC, like 2026-11. */
export const monthOf = (time: Date): string => monthIn(time.toISOString());

/** Plans never change. By their files; null: the owner is not known. */
const owners = remembered(() => new Map<string, string | null>());

/**
 * Returns what all sweeps of an owner have cost in a month, US dollars, as far as it is known: by the results, with
 * those that other hosts have published. `owner`: null for the sweeps whose owner is not known.
 */
export async function spentByOwner(resultsPath: string, owner: string | null, month: string): Promise<number> {
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await pullResults(project);
  const spent = [...resultsIndex(resultsPath).spentIn(month)];
  return dollars(
    spent.reduce((sum, [sweep, usd]) => (ownerOfSweep(resultsPath, sweep) === owner ? sum + usd : sum), 0),
  );
}

/** Returns null too if there is no plan that can be read. Uses no schema: there may be thousands of plans. */
function ownerOfSweep(resultsPath: string, sweep: string): string | null {
  const file = planFile(resultsPath, sweep);
  const known = owners().get(file);
  if (known !== undefined) return known;
  const plan = existsSync(file) ? parseJson(readText(file)) : undefined;
  if (!isJsonObject(plan)) return null;
  const owner = typeof plan['owner'] === 'string' ? plan['owner'] : null;
  owners().set(file, owner);
  return owner;
}
