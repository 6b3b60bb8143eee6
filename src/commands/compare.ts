import { isJsonObject, type Json } from '../lib/json.js';
import { differingFiles } from '../platform/compare-trees.js';
import { renderComparison } from '../reports/comparison-text.js';
import { compareSweeps, type SweepToCompare } from '../results/comparison/compare-sweeps.js';
import type { Plan } from '../scenario/plan.js';
import { fixtureFolder, resultsLog } from '../store/results-folder.js';
import { readResults } from '../store/results-log.js';
import { readSweep } from './compare/read-sweep.js';
import { printJson, say, textOptions } from './output.js';
import { ownCommand } from './own-name.js';
import { openProject } from './project.js';
import { findById } from './sweeps/find-sweep.js';
import { UsageError } from './usage-error.js';

/** `compare`: whether a sweep is better or worse than another one, from the files alone. */
export async function compare(
  base: string,
  head: string,
  options: { results?: string; failOnWorse: boolean; json: boolean },
): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const [before, after] = [sweepOf(resultsPath, base), sweepOf(resultsPath, head)];
  if (before.sweep === after.sweep)
    throw new UsageError('usage', `base and head are the same sweep, ${before.sweep}: name an older one`);
  const { results, corrupt } = readResults(resultsLog(resultsPath));
  for (const { line, reason } of corrupt)
    say(`warning: ${resultsLog(resultsPath)}:${line}: this line is passed over: ${reason}`);
  const sides = [
    await readSweep(resultsPath, before, results),
    await readSweep(resultsPath, after, results),
  ] as const;
  const comparison = compareSweeps(...sides, await fixtureFiles(resultsPath, ...sides));
  if (options.json) printJson(comparison);
  else
    process.stdout.write(
      renderComparison(comparison, { ...textOptions(), now: Date.now(), command: ownCommand }),
    );
  return options.failOnWorse && comparison.verdict === 'worse' ? 1 : 0;
}

function sweepOf(resultsPath: string, id: string): Plan {
  const found = findById(resultsPath, id);
  if (found.kind === 'sweep') return found.plan;
  throw new UsageError('unknown_id', `'${id}' is a run; what is compared are sweeps`);
}

/** By scenario of both: files of the fixture that are not the same. */
async function fixtureFiles(
  resultsPath: string,
  base: SweepToCompare,
  head: SweepToCompare,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const [name, scenario] of base.scenarios) {
    const [before, after] = [fixtureOf(scenario), fixtureOf(head.scenarios.get(name))];
    if (before === null || after === null || before === after) continue;
    const folders = [fixtureFolder(resultsPath, before), fixtureFolder(resultsPath, after)] as const;
    // A snapshot that is gone or cannot be read: that it is another one is said all the same.
    found.set(name, await differingFiles(...folders).catch(() => []));
  }
  return found;
}

function fixtureOf(scenario: Json | undefined): string | null {
  const fixture = isJsonObject(scenario) ? scenario['fixture'] : null;
  return typeof fixture === 'string' ? fixture : null;
}
