import { assertNever } from '../../lib/assert-never.js';
import { isJsonObject, type Json } from '../../lib/json.js';
import { differingFiles } from '../../platform/fs/compare-trees.js';
import { renderComparison } from '../../reports/comparison-text.js';
import { compareSweeps, type SweepToCompare } from '../../results/comparison/compare-sweeps.js';
import type { Gate } from '../../results/comparison/document.js';
import { oneVariant } from '../../results/comparison/one-variant.js';
import type { Plan } from '../../scenario/plan.js';
import { fixtureFolder } from '../../store/results-folder.js';
import { readSweep } from './read-sweep.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { checkVariant } from '../../planning/choose-variants.js';
import { openProject } from '../../planning/project.js';
import { findById } from '../../client/sweeps/find-sweep.js';
import { readLog } from '../../client/sweeps/read-log.js';
import { UsageError } from '../../lib/errors/usage-error.js';

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
  const before = sweepOf(resultsPath, base);
  const after = head === undefined && variants.length > 0 ? before : sweepOf(resultsPath, head ?? 'latest');
  if (before.sweep === after.sweep && variants.length === 0)
    throw new UsageError(
      'usage',
      `base and head are the same sweep, ${before.sweep}; name an older one as base`,
    );
  const [variantBefore, variantAfter] = pairOf(variants, before, after);
  const results = readLog(resultsPath, printNotice);
  const sides = [
    narrowed(await readSweep(resultsPath, before, results), variantBefore),
    narrowed(await readSweep(resultsPath, after, results), variantAfter),
  ] as const;
  const comparison = compareSweeps(...sides, await fixtureFiles(resultsPath, ...sides));
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
  switch (result) {
    case 'not worse':
      return 0;
    case 'worse':
      return 1;
    case 'not tested':
      return 3;
    case 'undecided':
      return 4;
    default:
      return assertNever(result);
  }
}

const narrowed = (sweep: SweepToCompare, variant: string | null): SweepToCompare =>
  variant === null ? sweep : oneVariant(sweep, variant);

/** Returns the variants of base and head; null for all. @throws UsageError unless they are two different known ones */
function pairOf(variants: readonly string[], ...plans: [Plan, Plan]): [string | null, string | null] {
  const [before, after] = variants;
  if (before === undefined) return [null, null];
  if (after === undefined || variants.length > 2 || before === after)
    throw new UsageError('usage', '--variants: expected two names, base and head, e.g. "bare,guided"');
  for (const [at, { sweep, cells }] of plans.entries()) {
    const known = [...new Set(cells.map(({ variant }) => variant))];
    checkVariant(variants[at] ?? '', known, `${sweep} has no variant`);
  }
  return [before, after];
}

function sweepOf(resultsPath: string, id: string): Plan {
  const found = findById(resultsPath, id);
  if (found.kind === 'sweep') return found.plan;
  throw new UsageError('unknown_id', `'${id}' is a run; only sweeps can be compared`);
}

/** For each scenario of both sweeps whose fixtures differ, the files that differ. */
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
    // if a snapshot is gone or unreadable, the fixture is still reported as different, without its files
    found.set(name, await differingFiles(...folders).catch(() => []));
  }
  return found;
}

function fixtureOf(scenario: Json | undefined): string | null {
  const fixture = isJsonObject(scenario) ? scenario['fixture'] : null;
  return typeof fixture === 'string' ? fixture : null;
}
