import { UsageError } from '../../lib/errors/usage-error.js';
import { isJsonObject, type Json } from '../../lib/json.js';
import { checkVariant } from '../../planning/choose-variants.js';
import { differingFiles } from '../../platform/fs/compare-trees.js';
import { compareSweeps, type SweepToCompare } from '../../results/comparison/compare-sweeps.js';
import type { Comparison } from '../../results/comparison/document.js';
import { judgeWarnings } from '../../results/calibration/judge-note.js';
import { oneVariant } from '../../results/comparison/one-variant.js';
import type { Plan } from '../../scenario/plan.js';
import { fixtureFolder } from '../../store/results-folder.js';
import { findById } from './find-sweep.js';
import { calibrationOf, reviewReader } from './judged-runs.js';
import { readLog } from './read-log.js';
import { readToCompare } from './read-to-compare.js';

/**
 * Compares two sweeps by their ids, unique prefixes of these, or `latest`, using only the files. `variants`: the variant of
 * base and the variant of head to compare; if empty, each variant is compared with itself.
 *
 * @throws UsageError if there are no such sweeps or variants
 */
export async function comparisonOf(
  resultsPath: string,
  base: string,
  head: string,
  { variants, warn }: { variants: readonly string[]; warn: (text: string) => void },
): Promise<Comparison> {
  const before = await sweepToCompare(resultsPath, base);
  const after = await sweepToCompare(resultsPath, head);
  if (before.sweep === after.sweep && variants.length === 0)
    throw new UsageError(
      'usage',
      `base and head are the same sweep, ${before.sweep}; name an older one as base`,
    );
  const [variantBefore, variantAfter] = pairOf(variants, before, after);
  const results = readLog(resultsPath, warn);
  const sides = [
    narrowed(await readToCompare(resultsPath, before, results, warn), variantBefore),
    narrowed(await readToCompare(resultsPath, after, results, warn), variantAfter),
  ] as const;
  const comparison = compareSweeps(...sides, await fixtureFiles(resultsPath, ...sides));
  const readQuietly = reviewReader(resultsPath, results, () => undefined);
  const calibration = {
    base: calibrationOf(resultsPath, sides[0], results, readQuietly),
    head: calibrationOf(resultsPath, sides[1], results, readQuietly),
  };
  const warnings = new Set([...calibration.base, ...calibration.head].flatMap((one) => judgeWarnings([one])));
  return calibration.base.length + calibration.head.length === 0
    ? comparison
    : { ...comparison, calibration, doubts: [...comparison.doubts, ...warnings] };
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

/** Returns the plan of a sweep (see `findById`). @throws UsageError if there is none, or it is a run */
export async function sweepToCompare(resultsPath: string, id: string): Promise<Plan> {
  const found = await findById(resultsPath, id);
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
