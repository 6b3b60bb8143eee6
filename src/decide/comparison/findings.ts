import { omit } from '#lib';
import {
  type Count,
  directionOf,
  type Ends,
  equivalent,
  highestAdjustedPs,
  highestP,
  isStratumTested,
  lowestAdjustedPs,
  lowestP,
  notWorse,
  type Stratum,
  testDifference,
  testEach,
  type TestedConfiguration,
  type TestedDifference,
} from '#statistics';
import type { Comparison, ComparisonOptions } from './document.js';
import type { Side } from './side.js';
import type { Pair } from './arms.js';

type Margins = Pick<Comparison['total'], 'not_worse' | 'equivalent'>;

/** The findings from the runs of some configurations: of all together, and of each, in the order given. */
export interface Findings {
  total: TestedDifference & Margins;
  configurations: (TestedConfiguration & Margins)[];
}

/** The p that are no smaller, whatever hidden cells would have shown. */
interface HighestPs {
  total: number;
  each: readonly number[];
}

function findingsOf(
  strata: readonly Stratum[],
  { alpha, margin }: ComparisonOptions,
  atLeast: HighestPs = { total: 0, each: [] },
): Findings {
  const configurations = testEach(strata, { alpha, atLeast: atLeast.each }).map((test, at) => ({
    ...test,
    ...marginsOf(strata.slice(at, at + 1), test, { alpha, margin }),
  }));
  return { total: totalOf(strata, configurations, { alpha, margin, atLeast: atLeast.total }), configurations };
}

/** A single configuration with runs on both sides is all there is: it need not be tested twice. */
function totalOf(
  strata: readonly Stratum[],
  configurations: Findings['configurations'],
  options: ComparisonOptions & { atLeast: number },
): Findings['total'] {
  const [only, ...others] = configurations.filter(({ p }) => p !== null);
  if (only === undefined || others.length > 0) return testOf(strata, options);
  return omit(only, 'adjusted_p');
}

/** Tests some configurations together. `atLeast`: p is no smaller. */
export function testOf(
  strata: readonly Stratum[],
  options: ComparisonOptions & { atLeast?: number },
): Findings['total'] {
  const test = testDifference(strata, options);
  return { ...test, ...marginsOf(strata, test, options) };
}

function marginsOf(
  strata: readonly Stratum[],
  { difference }: TestedDifference,
  { alpha, margin }: ComparisonOptions,
): Margins {
  if (margin === null || difference === null) return { not_worse: null, equivalent: null };
  return {
    not_worse: notWorse(strata, { margin, alpha }),
    equivalent: equivalent(strata, { margin, alpha }),
  };
}

export const stratumOf = ({ base, head }: Pair): Stratum => ({ base: base.side, head: head.side });

/** Cells without a pass or failure: they ended with an error, were cancelled, or have not ended. */
export const untested = ({ errored, cancelled, waiting }: Side): number => errored + cancelled + waiting;

/** Cells of which the first run has shown nothing: untested ones, and those that passed or failed after an error. */
export const hidden = (side: Side): number => untested(side) + side.after_errors;

/** Findings from the tested runs, and what they would be if the hidden cells had gone one way or the other. */
export interface BoundedFindings {
  actual: Findings;
  /**
   * The hidden cells of head passed, and those of base failed. If nothing is worse and there is no margin, this is not
   * asked for.
   */
  bestForHead: Findings;
  /** The hidden cells of head failed, and those of base passed. It is worse there if it is at any other end. */
  worstForHead: Findings;
}

/**
 * Errors are not a fair sample: a broken tool may cause them where it would have failed, a judge that is asked only
 * after all gates passed turns passes into errors, never failures, and in an open sweep the quick runs have ended. A
 * cell that is run again does not show what its error hid, and as many errors on both sides may have opposite causes.
 * So a finding is sure only if it also holds when every hidden cell turns out against it, and in between.
 */
export function boundedFindings(pairs: readonly Pair[], options: ComparisonOptions): BoundedFindings {
  const actual = findingsOf(pairs.map(stratumOf), options);
  const isComplete = pairs.every(({ base, head }) => hidden(base.side) + hidden(head.side) === 0);
  if (isComplete) return { actual, bestForHead: actual, worstForHead: actual };
  const ends = pairs.map(endsOf);
  const highest = highestAdjustedPs(ends.filter(({ worst }) => isStratumTested(worst)));
  let next = 0;
  const adjusted = ends.map(({ worst }) => (isStratumTested(worst) ? (highest[next++] ?? 0) : 0));
  /** A claim is bounded. Other findings at that end say what hidden cells could have shown. */
  const findIf = (end: keyof Ends, claim: 'better' | 'worse'): Findings => {
    const strata = ends.map((one) => one[end]);
    return findingsOf(strata, options, {
      total: directionIn(strata) === claim ? highestP(ends, claim) : 0,
      each: strata.map((stratum, at) => (directionIn([stratum]) === claim ? (adjusted[at] ?? 0) : 0)),
    });
  };
  const isAnyWorse = [actual.total, ...actual.configurations].some(({ verdict }) => verdict === 'worse');
  const isBestAsked = isAnyWorse || options.margin !== null;
  return {
    actual,
    bestForHead: isBestAsked ? findIf('best', 'worse') : actual,
    worstForHead: worseIfAnywhere(findIf('worst', 'better'), ends, options),
  };
}

/** In between, a loss may be found that is not at the worst end: with a smaller variance, or fewer adjustments. */
function worseIfAnywhere(
  { total, configurations }: Findings,
  all: readonly Ends[],
  { alpha }: Pick<ComparisonOptions, 'alpha'>,
): Findings {
  const ends = all.filter(({ worst }) => isStratumTested(worst));
  if (ends.length < 2) return { total, configurations };
  const lowest = lowestAdjustedPs(ends);
  const found = <T extends Findings['total']>(one: T, p: number): T =>
    p <= alpha ? { ...one, verdict: 'worse' } : one;
  let next = 0;
  return {
    total: found(total, lowestP(ends)),
    configurations: configurations.map((one) =>
      one.p === null ? one : found(one, Math.max(one.p, lowest[next++] ?? 0)),
    ),
  };
}

const directionIn = (strata: readonly Stratum[]) => directionOf(strata.filter(isStratumTested));

/** The claims about a margin that hold whatever the hidden cells had shown. */
export const boundedMargins = (actual: Margins, best: Margins = actual, worst: Margins = actual): Margins => ({
  not_worse:
    actual.not_worse !== null && worst.not_worse !== null && worst.not_worse.bound > actual.not_worse.bound
      ? actual.not_worse
      : worst.not_worse,
  equivalent: actual.equivalent && best.equivalent && worst.equivalent,
});

/**
 * A configuration as it would be if the hidden cells of head had passed and those of base had failed, or the other way
 * round.
 */
const boundedStratum = ({ base, head }: Pair, headPasses: boolean): Stratum => ({
  base: completed(base.side, !headPasses),
  head: completed(head.side, headPasses),
});

export const endsOf = (pair: Pair): Ends => ({ worst: boundedStratum(pair, false), best: boundedStratum(pair, true) });

const completed = (side: Side, passes: boolean): Count => ({
  passed: side.passed - side.passed_after_errors + (passes ? untested(side) + side.after_errors : 0),
  tested: side.tested + untested(side),
});

/** Returns whether `better` or `worse` remains whatever the hidden cells had shown; null for other verdicts. */
export function isRobust(
  verdict: TestedDifference['verdict'],
  best: Pick<TestedDifference, 'verdict'> | undefined,
  worst: Pick<TestedDifference, 'verdict'> | undefined,
): boolean | null {
  if (verdict === 'worse') return best?.verdict === 'worse';
  return verdict === 'better' ? worst?.verdict === 'better' : null;
}
