import { comparisonOf } from '../../client/sweeps/comparison-of.js';
import { openProject } from '../../planning/project.js';
import { ownCommand } from '../../platform/invocation.js';
import { renderComparison } from '../../reports/comparison-text.js';
import type { Gate } from '../../results/comparison/document.js';
import { exitCodeOfGate } from '../../results/schedules/decide-firing.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';

export interface CompareOptions {
  /** The variant of base and the variant of head to compare. If empty, each variant is compared with itself. */
  variants: string[];
  failOnWorse: boolean;
  results?: string;
  json: boolean;
}

/**
 * `compare`: shows whether a sweep or variant is better or worse than another one, using only the files. The default
 * head is the newest sweep; to compare variants, it is the base. Returns the exit code.
 */
export async function compare(
  base: string,
  head: string | undefined,
  options: CompareOptions,
): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const { variants } = options;
  const other = head ?? (variants.length > 0 ? base : 'latest');
  const comparison = await comparisonOf(resultsPath, base, other, { variants, warn: printNotice });
  if (options.json) printJson(comparison);
  else
    process.stdout.write(
      renderComparison(comparison, { ...textOptions(), now: Date.now(), command: ownCommand }),
    );
  return options.failOnWorse ? exitOf(comparison.gate) : 0;
}

/** Returns the exit code of `--fail-on-worse`. Prints the reasons on stderr. */
function exitOf({ result, reasons }: Gate): 0 | 1 | 3 | 4 {
  for (const reason of reasons) printNotice(`${result}: ${reason}`);
  return exitCodeOfGate(result);
}
