import {
  type BaselineLine,
  baselineOf,
  type Calibrations,
  comparedJudgeWarnings,
  compareSweeps,
  compareWithBaseline,
  type Comparison,
  type ComparisonOptions,
  DEFAULT_OPTIONS,
  isJudged,
  oneVariant,
  type SweepToCompare,
  UNCHECKED,
  withJudgeDrift,
} from '#decide';
import { differingFiles } from '#host';
import { isJsonObject, type Json, UsageError } from '#lib';
import { checkVariant } from '#planning';
import type { Plan } from '#scenario';
import { fixtureFolder, readBaseline } from '#store';
import { findById } from './find-sweep.js';
import { judgedFacts, calibrationsOf, reviewReader } from './judged-runs.js';
import { readLog } from './read-records.js';
import { readToCompare } from './read-to-compare.js';

interface Options extends Partial<ComparisonOptions> {
  warn: (text: string) => void;
}

interface SweepOptions extends Options {
  variants: readonly string[];
}

/**
 * Compares two sweeps by their ids, unique prefixes of these, or `latest`, using only the files. `variants`: the
 * variant of base and the variant of head to compare; if empty, each variant is compared with itself.
 *
 * @throws UsageError if there are no such sweeps or variants
 */
export async function comparisonOf(
  resultsPath: string,
  base: string,
  head: string,
  { variants, warn, ...options }: SweepOptions,
): Promise<Comparison> {
  const before = await sweepToCompare(resultsPath, base);
  const after = await sweepToCompare(resultsPath, head);
  if (before.sweep === after.sweep && variants.length === 0)
    throw new UsageError('usage', `base and head are the same sweep, ${before.sweep}; name an older one as base`);
  const [variantBefore, variantAfter] = pairOf(variants, before, after);
  const results = readLog(resultsPath, warn);
  const sides = {
    base: narrowed(await readToCompare(resultsPath, before, results, warn), variantBefore),
    head: narrowed(await readToCompare(resultsPath, after, results, warn), variantAfter),
  };
  const files = await fixtureFiles(resultsPath, sides.base, sides.head);
  const compared = compareSweeps(sides.base, sides.head, files, { ...DEFAULT_OPTIONS, ...options });
  const comparison = withJudgeDrift(compared, sides, results, judgedFacts(resultsPath));
  const readQuietly = reviewReader(resultsPath, results, () => undefined);
  return withJudges(comparison, {
    base: calibrationsOf(resultsPath, sides.base, results, readQuietly),
    head: calibrationsOf(resultsPath, sides.head, results, readQuietly),
  });
}

/**
 * Compares a sweep with a baseline file.
 *
 * @throws UsageError if there is no such sweep, or the file cannot be read
 */
export async function comparisonWithBaseline(
  resultsPath: string,
  file: string,
  head: string,
  { warn, ...options }: Options,
): Promise<Comparison> {
  const lines = await readBaseline(file);
  const results = readLog(resultsPath, warn);
  const sweep = await readToCompare(resultsPath, await sweepToCompare(resultsPath, head), results, warn);
  const compared = compareWithBaseline({ file, lines }, sweep, { ...DEFAULT_OPTIONS, ...options });
  const comparison = sweep.lines.some(isJudged) ? { ...compared, judge_drift: UNCHECKED } : compared;
  const readQuietly = reviewReader(resultsPath, results, () => undefined);
  return withJudges(comparison, {
    base: { judges: [], gates: [] },
    head: calibrationsOf(resultsPath, sweep, results, readQuietly),
  });
}

/**
 * Returns the lines of a baseline that a sweep gives.
 *
 * @throws UsageError if there is no such sweep, it has not ended, or it has tested nothing
 */
export async function baselineOfSweep(
  resultsPath: string,
  id: string,
  warn: (text: string) => void,
): Promise<BaselineLine[]> {
  const plan = await sweepToCompare(resultsPath, id);
  const sweep = await readToCompare(resultsPath, plan, readLog(resultsPath, warn), warn);
  if (sweep.status !== 'completed')
    throw new UsageError(
      'bad_baseline',
      `${sweep.sweep} ${sweep.status === 'open' ? 'has not ended' : 'was cancelled'}: a baseline needs all of its results`,
    );
  const lines = baselineOf(sweep);
  if (lines.length === 0)
    throw new UsageError('bad_baseline', `no run of ${sweep.sweep} passed or failed: it cannot be a baseline`);
  return lines;
}

/** Adds how far the models that judged agree with people. One that is not shown to agree is a doubt. */
function withJudges(comparison: Comparison, { base, head }: { base: Calibrations; head: Calibrations }): Comparison {
  const sides = <K extends keyof Calibrations>(of: K) => ({ base: [...base[of]], head: [...head[of]] });
  const judged: Comparison = {
    ...comparison,
    ...(base.judges.length + head.judges.length === 0 ? {} : { calibration: sides('judges') }),
    ...(base.gates.length + head.gates.length === 0 ? {} : { gate_calibration: sides('gates') }),
  };
  return { ...judged, doubts: [...judged.doubts, ...comparedJudgeWarnings(judged)] };
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
    // If a snapshot is gone or unreadable, the fixture is still reported as different, without its files.
    found.set(name, await differingFiles(...folders).catch(() => []));
  }
  return found;
}

function fixtureOf(scenario: Json | undefined): string | null {
  const fixture = isJsonObject(scenario) ? scenario['fixture'] : null;
  return typeof fixture === 'string' ? fixture : null;
}
