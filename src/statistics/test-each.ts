import { isStratumTested, type Stratum } from './counts.js';
import { directionOf } from './direction.js';
import type { Ends } from './highest-p.js';
import { decide, mostExtreme, NOTHING_TESTED, testDifference, type TestedDifference } from './test-difference.js';
import { passesOfHead } from './distribution.js';
import { midPOfTails, SMALLEST_P } from './boschloo.js';

/** Rounding errors must not make equal p values differ. */
const TOLERANCE = 1e-9;

/**
 * Returns the adjusted p of each configuration: the chance of any false alarm among all of them is at most the level
 * that it is compared with. It is the probability that the smallest p of the configurations that are not yet found
 * would be at most as small as the observed one. Since passes are counts, a configuration whose runs all passed can
 * hardly reach a small p, and costs the others nothing. P. H. Westfall and R. D. Wolfinger, "Multiple tests with
 * discrete distributions", The American Statistician 51 (1997) 3-8.
 */
export const stepDownMinP = (strata: readonly Stratum[]): number[] => adjust(strata.map(possibleOutcomes));

/** Returns the adjusted p of each test; with `last`, only of those whose p is at most as large as that of this one. */
function adjust(tests: readonly PossibleOutcomes[], last?: number): number[] {
  const order = tests.map((test, at) => ({ ...test, at })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(tests.length).fill(1);
  let highest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    // The probability that none is as small, as a logarithm, because the probability of each may be tiny.
    let none = 0;
    for (let other = rank; other < order.length; other++) none += Math.log1p(-chanceOf(order[other], p));
    highest = Math.max(highest, -Math.expm1(none), SMALLEST_P);
    adjusted[at] = highest;
    if (at === last) break;
  }
  return adjusted;
}

/** The mid-p of a configuration, and of all outcomes that it could have had with as many passes. */
interface PossibleOutcomes {
  p: number;
  /** By p, from the smallest: the probability of a p at most as small. Several lists: the highest of these counts. */
  outcomes: { p: number; chance: number }[][];
}

function possibleOutcomes(stratum: Stratum): PossibleOutcomes {
  const { first, probabilities } = passesOfHead([stratum]);
  const above = new Float64Array(probabilities.length);
  for (let at = probabilities.length - 2; at >= 0; at--)
    above[at] = (above[at + 1] ?? 0) + (probabilities[at + 1] ?? 0);
  let below = 0;
  const ps = Array.from(probabilities, (chance, at) => {
    const p = midPOfTails({ below, at: chance, above: above[at] ?? 0 });
    below += chance;
    return p;
  });
  let total = 0;
  const outcomes = ps
    .map((p, at) => ({ p, chance: probabilities[at] ?? 0 }))
    .sort((a, b) => a.p - b.p)
    .map(({ p, chance }) => ({ p, chance: (total = Math.min(1, total + chance)) }));
  return { p: ps[stratum.head.passed - first] ?? SMALLEST_P, outcomes: [outcomes] };
}

/** The probability that a test has a p of at most this. */
function chanceOf({ outcomes }: PossibleOutcomes = NEVER, p: number): number {
  const most = p * (1 + TOLERANCE);
  return Math.max(
    0,
    ...outcomes.map((list) => {
      let [low, high] = [0, list.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((list[middle]?.p ?? Infinity) <= most) low = middle + 1;
        else high = middle;
      }
      return list[low - 1]?.chance ?? 0;
    }),
  );
}

const NEVER: PossibleOutcomes = { p: 1, outcomes: [] };

/**
 * Returns an adjusted p of each configuration that no end of its hidden runs, or of those of the others, exceeds: 1 if
 * they decide which side passes more often. Its own p is highest at one of the two ends. How probable a small p of
 * another one is depends on its passes, so the most probable counts. With larger values of both, the adjusted p is
 * larger, too.
 */
export const highestAdjustedPs = (all: readonly Ends[]): number[] =>
  all.length < 2 ? all.map(() => 0) : adjust(all.map(hardestOutcomes));

function hardestOutcomes({ worst, best }: Ends): PossibleOutcomes {
  const directions = new Set([worst, best].map((end) => directionOf([end])));
  const p = directions.size > 1 ? 1 : Math.max(possibleOutcomes(worst).p, possibleOutcomes(best).p);
  return { p, outcomes: outcomesOf({ worst, best }) };
}

/** Returns the possible outcomes for each number of passes of both sides together. */
function outcomesOf({ worst, best }: Ends): PossibleOutcomes['outcomes'] {
  const most = worst.base.passed + best.head.passed;
  const fewest = worst.head.passed + best.base.passed;
  return Array.from({ length: most - fewest + 1 }, (_, at) => {
    const passed = fewest + at;
    const ofHead = Math.max(0, passed - worst.base.tested);
    const end = {
      base: { passed: passed - ofHead, tested: worst.base.tested },
      head: { passed: ofHead, tested: worst.head.tested },
    };
    return possibleOutcomes(end).outcomes.flat();
  });
}

/**
 * Returns an adjusted p of each configuration that is no higher than that of any end at which head is worse in it; 1 if
 * it is at none. Others that may have a smaller p may be found before it, and do not count. Of the rest, the least
 * probable small p counts.
 */
export function lowestAdjustedPs(all: readonly Ends[]): number[] {
  const others = all.map((ends) => ({
    p: Math.min(possibleOutcomes(ends.worst).p, possibleOutcomes(ends.best).p),
    lists: outcomesOf(ends),
  }));
  return all.map(({ worst }, at) => {
    if (directionOf([worst]) !== 'worse') return 1;
    const { p } = possibleOutcomes(worst);
    const least = (lists: PossibleOutcomes['outcomes']): number =>
      Math.min(...lists.map((list) => chanceOf({ p, outcomes: [list] }, p)));
    const chances = others.flatMap((other, index) => (index === at || other.p > p ? least(other.lists) : []));
    return Math.max(p, -Math.expm1(chances.reduce((none, chance) => none + Math.log1p(-chance), 0)));
  });
}

export interface TestedConfiguration extends TestedDifference {
  /** p allowing for the number of configurations; decides the verdict. */
  adjusted_p: number | null;
}

/**
 * Tests each of several configurations, so that the chance of any false alarm among them is at most alpha.
 * Here `smallest_p` is the smallest adjusted p that a configuration could have had, given the others. `atLeast`: the
 * adjusted p of each is no smaller.
 */
export function testEach(
  strata: readonly Stratum[],
  { alpha, atLeast = [] }: { alpha: number; atLeast?: readonly number[] },
): TestedConfiguration[] {
  const tested = strata.filter(isStratumTested);
  const adjusted = adjustedPs(tested);
  let next = 0;
  return strata.map((stratum, at) => {
    const test = testDifference([stratum], { alpha });
    if (!isStratumTested(stratum)) return { ...NOTHING_TESTED, adjusted_p: null };
    const { p, smallest } = adjusted[next++] ?? { p: 0, smallest: 0 };
    return testedConfiguration(test, alpha, { p: Math.max(p, atLeast[at] ?? 0), smallest });
  });
}

function testedConfiguration(
  test: TestedDifference,
  alpha: number,
  family: { p: number; smallest: number },
): TestedConfiguration {
  const { difference, interval, p, smallest_p } = test;
  if (difference === null || interval === null || p === null || smallest_p === null)
    return { ...test, adjusted_p: null };
  const adjusted = Math.max(p, family.p);
  const smallest = Math.max(smallest_p, family.smallest);
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
