import { ALPHA } from '#decide';
import { ownCommand } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { rankingMarkdown, renderRanking } from '#reports';
import { rankingOf } from '#sweeps';
import { printNotice, textOptions } from '../shared/output.js';
import { print, type WithMargin } from './compare.js';

/** `compare --agents`: ranks the agents and models of a sweep, the newest by default, using only the files. Returns 0. */
export async function compareAgents(
  sweep: string | undefined,
  head: string | undefined,
  options: WithMargin,
): Promise<number> {
  const { alpha = ALPHA, margin = null, results, format } = options;
  if (head !== undefined)
    throw new UsageError('usage', '--agents ranks the agents of one sweep; name only that one');
  const other = otherOption(options);
  if (other !== null)
    throw new UsageError('usage', `--agents and ${other} cannot be combined; leave one of them out`);
  const { resultsPath } = openProject(results);
  const ranking = await rankingOf(resultsPath, sweep ?? 'latest', { alpha, margin, warn: printNotice });
  const shown = { now: Date.now(), command: ownCommand };
  print(format, ranking, {
    md: () => rankingMarkdown(ranking, shown),
    text: () => renderRanking(ranking, { ...textOptions(), ...shown }),
  });
  return 0;
}

/** Returns an option of comparisons that is set; null if there is none. */
function otherOption(options: WithMargin): string | null {
  const { variants, gate, failOnWorse, baseline, writeBaseline, explain } = options;
  const set: [boolean, string][] = [
    [variants.length > 0, '--variants'],
    [gate, '--gate'],
    [failOnWorse, '--fail-on-worse'],
    [baseline !== undefined, '--baseline'],
    [writeBaseline !== undefined, '--write-baseline'],
    [explain, '--explain'],
  ];
  return set.find(([isSet]) => isSet)?.[1] ?? null;
}
