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
  { variants, failOnWorse, results, json }: CompareOptions,
): Promise<number> {
  if (head !== undefined)
    throw new UsageError('usage', '--agents ranks the agents of one sweep; name only that one');
  const other = variants.length > 0 ? '--variants' : failOnWorse ? '--fail-on-worse' : null;
  if (other !== null)
    throw new UsageError('usage', `--agents and ${other} cannot be combined; leave one of them out`);
  const { resultsPath } = openProject(results);
  const ranking = await rankingOf(resultsPath, sweep ?? 'latest', { alpha: ALPHA, warn: printNotice });
  if (json) printJson(ranking);
  else
    process.stdout.write(renderRanking(ranking, { ...textOptions(), now: Date.now(), command: ownCommand }));
  return 0;
}
