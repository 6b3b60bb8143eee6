import { isStratumTested, rate, sum, type Stratum } from './counts.js';
import { directionOf } from './direction.js';
import { varianceAt } from './miettinen-nurminen.js';
import { normalTail } from './normal.js';
import { BEYOND, exactP, isApproximate, isConstant, pOf, possiblePasses } from './test-difference.js';

/**
 * A configuration with hidden runs: as it would be if all of them spoke against head, and if all spoke for it. Both
 * have as many runs.
 */
export interface Ends {
  worst: Stratum;
  best: Stratum;
}

const exchanged = ({ base, head }: Stratum): Stratum => ({ base: head, head: base });

/**
 * Returns a p of all configurations together that no end of their hidden runs exceeds, if head is better, or worse, at
 * each end; 1 if it is not. The exact tests have their highest p at the worst end: a pass more in head makes the
 * one-sided p of Fisher's test smaller, and one more in base larger. The score test of several configurations need not,
 * because other ends may have a larger variance. If no exact test is used there, but is used elsewhere, it counts.
 */
export function highestP(all: readonly Ends[], direction: 'better' | 'worse'): number {
  const ends =
    direction === 'better'
      ? all
      : all.map(({ worst, best }): Ends => ({ worst: exchanged(best), best: exchanged(worst) }));
  const tested = ends.filter(({ worst }) => isStratumTested(worst));
  const worst = tested.map((one) => one.worst);
  if (directionOf(worst) !== 'better') return 1;
  // With one, the score is lowest at the worst end, too: there the correlation of side and outcome is.
  if (tested.length === 1) return pOf(worst);
  const exact = isAlwaysApproximate(tested) ? 0 : exactP(worst);
  return Math.max(pOf(worst), exact, Math.min(1, 2 * normalTail(lowestScore(tested))));
}

/** The same in whichever direction holds at each end. */
export const highestSureP = (all: readonly Ends[]): number => Math.min(highestP(all, 'better'), highestP(all, 'worse'));

/** The most extreme passes in head are concave functions of all passes, so they are nearest at an end. */
function isAlwaysApproximate(ends: readonly Ends[]): boolean {
  const room = ends.map((one) => {
    const [fewest, most] = [fewestPasses(one), mostPasses(one)].map((stratum) => possiblePasses([stratum]));
    const of = (part: (of: ReturnType<typeof possiblePasses>) => number): number =>
      Math.min(...[fewest, most].flatMap((some) => (some === undefined ? [] : part(some))));
    return {
      below: of(({ expected, fewest: least }) => expected - least),
      above: of(({ expected, most: top }) => top - expected),
    };
  });
  const below = sum(room, (one) => one.below);
  return isApproximate({ expected: below, fewest: 0, most: below + sum(room, (one) => one.above) });
}

const fewestPasses = ({ worst, best }: Ends): Stratum => ({ base: best.base, head: worst.head });
const mostPasses = ({ worst, best }: Ends): Stratum => ({ base: worst.base, head: best.head });

/**
 * Returns a score that is at most as high as that of any end, of 0 and of the differences beyond it where they count
 * (`weakestScore`). The square of a score D / sqrt(V) is the maximum over f of 2 f D - f² V, so for each f, the sum of
 * the smallest values of all configurations is a lower bound. The highest of these is taken.
 */
function lowestScore(ends: readonly Ends[]): number {
  const points = ends.map(pointsOf);
  const isAnyConstant = ends.some((one) => isConstant(fewestPasses(one)) || isConstant(mostPasses(one)));
  const differences = isAnyConstant ? [0, ...BEYOND.map((by) => -by)] : [0];
  return Math.min(...differences.map((difference) => lowestScoreAt(points, difference)));
}

/**
 * For each number of passes of both sides together, the end with the fewest of them in head. Their variance is the
 * same, or nearly so where a difference is assumed.
 */
export function pointsOf({ worst, best }: Ends): Stratum[] {
  const [base, head] = [worst.base.passed - best.base.passed, best.head.passed - worst.head.passed];
  return Array.from({ length: base + head + 1 }, (_, more) => ({
    base: { passed: best.base.passed + Math.min(more, base), tested: worst.base.tested },
    head: { passed: worst.head.passed + Math.max(0, more - base), tested: worst.head.tested },
  }));
}

/** The logarithms of the smallest and the largest factor that are tried. */
const FACTORS: readonly [number, number] = [-7, 16];
const STEPS = 45;

function lowestScoreAt(points: readonly (readonly Stratum[])[], difference: number): number {
  const terms = points.map((some) =>
    some.map((stratum) => ({
      above: rate(stratum.head) - rate(stratum.base) - difference,
      variance: varianceAt(stratum, difference),
    })),
  );
  const valueAt = (factor: number): number =>
    sum(terms, (some) =>
      some.reduce(
        (least, { above, variance }) => Math.min(least, 2 * factor * above - factor ** 2 * variance),
        Infinity,
      ),
    );
  // As a function of the factor, the sum is concave.
  let [low, high] = FACTORS;
  for (let step = 0; step < STEPS; step++) {
    const [left, right] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    if (valueAt(Math.exp(left)) > valueAt(Math.exp(right))) high = right;
    else low = left;
  }
  return Math.sqrt(Math.max(0, valueAt(Math.exp((low + high) / 2))));
}
