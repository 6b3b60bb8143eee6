import { isTested, type Stratum } from './counts.js';
import { adjust, possibleOutcomes } from './step-down-min-p.js';
import {
  decide,
  mostExtreme,
  NOTHING_TESTED,
  testDifference,
  type TestedDifference,
} from './test-difference.js';

export interface TestedConfiguration extends TestedDifference {
  /** p allowing for the number of configurations; decides the verdict. */
  adjusted_p: number | null;
}

/**
 * Tests each of several configurations, so that the chance of any false alarm among them is at most alpha.
 * Here `smallest_p` is the smallest adjusted p that a configuration could have had, given the others.
 */
export function testEach(strata: readonly Stratum[], { alpha }: { alpha: number }): TestedConfiguration[] {
  const tested = strata.filter(isTested);
  const adjusted = adjustedPs(tested);
  let next = 0;
  return strata.map((stratum) => {
    const test = testDifference([stratum], { alpha });
    if (!isTested(stratum)) return { ...NOTHING_TESTED, adjusted_p: null };
    return testedConfiguration(test, alpha, adjusted[next++]);
  });
}

function testedConfiguration(
  test: TestedDifference,
  alpha: number,
  family: { p: number; smallest: number } | undefined,
): TestedConfiguration {
  const { difference, interval, p, smallest_p } = test;
  if (difference === null || interval === null || p === null || smallest_p === null)
    return { ...test, adjusted_p: null };
  const adjusted = Math.max(p, family?.p ?? p);
  const smallest = Math.max(smallest_p, family?.smallest ?? smallest_p);
  return {
    difference,
    p,
    adjusted_p: adjusted,
    smallest_p: smallest,
    ...decide({ difference, p: adjusted, smallest, interval, alpha }),
  };
}

/** A single configuration needs no adjustment: its own test has more power than a conditional one. */
function adjustedPs(strata: readonly Stratum[]): { p: number; smallest: number }[] {
  if (strata.length < 2) return [];
  const tests = strata.map(possibleOutcomes);
  const adjusted = adjust(tests);
  return strata.map((stratum, at) => ({
    p: adjusted[at] ?? 1,
    smallest: adjust(tests.with(at, possibleOutcomes(mostExtreme(stratum))), at)[at] ?? 1,
  }));
}
