import { rankingOf } from '../../client/sweeps/ranking-of.js';
import { UsageError } from '../../lib/errors/usage-error.js';
import { openProject } from '../../planning/project.js';
import { ownCommand } from '../../platform/invocation.js';
import { renderRanking } from '../../reports/ranking-text.js';
import { ALPHA } from '../../results/comparison/document.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';
import type { CompareOptions } from './compare.js';

/** `compare --agents`: ranks the agents and models of a sweep, the newest by default, using only the files. Returns 0. */
export async function compareAgents(
  sweep: string | undefined,
  head: string | undefined,
  options: CompareOptions,
): Promise<number> {
  const { alpha = ALPHA, results, json } = options;
  if (head !== undefined)
    throw new UsageError('usage', '--agents ranks the agents of one sweep; name only that one');
  const other = otherOption(options);
  if (other !== null)
    throw new UsageError('usage', `--agents and ${other} cannot be combined; leave one of them out`);
  const { resultsPath } = openProject(results);
  const ranking = await rankingOf(resultsPath, sweep ?? 'latest', { alpha, warn: printNotice });
  if (json) printJson(ranking);
  else
    process.stdout.write(renderRanking(ranking, { ...textOptions(), now: Date.now(), command: ownCommand }));
  return 0;
}

/** Returns an option of comparisons that is set; null if there is none. */
function otherOption(options: CompareOptions): string | null {
  const { variants, gate, failOnWorse, margin, baseline, writeBaseline, explain } = options;
  const set: [boolean, string][] = [
    [variants.length > 0, '--variants'],
    [gate, '--gate'],
    [failOnWorse, '--fail-on-worse'],
    [margin !== undefined, '--margin'],
    [baseline !== undefined, '--baseline'],
    [writeBaseline !== undefined, '--write-baseline'],
    [explain, '--explain'],
  ];
  return set.find(([isSet]) => isSet)?.[1] ?? null;
}
