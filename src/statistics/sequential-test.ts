import { isTested, sum, type Stratum } from './counts.js';
import { add, CERTAIN_ZERO, passesOfHead, type Distribution } from './distribution.js';
import { spend } from './spending.js';

/** The state of a sequential exact test after a look. */
export interface SequentialTest {
  /** Probability, without a difference, of each number of passes in head and no earlier stop. */
  surviving: Distribution;
  /** Passes in head so far. */
  passed: number;
  /** The exact probabilities, without a difference, of a stop with each verdict at this look or before. */
  spent: Record<'better' | 'worse', number>;
  crossed: 'better' | 'worse' | null;
}

export const NO_LOOK: SequentialTest = {
  surviving: CERTAIN_ZERO,
  passed: 0,
  spent: { better: 0, worse: 0 },
  crossed: null,
};

/**
 * Returns the test after another round. Given how many runs of each configuration passed in each round, the passes in head are a sum of
 * hypergeometric numbers. Of their distribution without an earlier stop, the most extreme outcomes of each side are cut off, as
 * many as half of what alpha spending allows by `time`; the test stops if the observed outcome is one of them. So a rise
 * and a fall are found alike. No normal approximation is used. Rounds may depend on how many runs of both sides passed together before, but not on which side.
 */
export const nextLook = (
  before: SequentialTest,
  round: readonly Stratum[],
  at: { time: number; alpha: number },
): SequentialTest => lookAt(before, passesIn(round), at);

/** The passes in head of a round: the observed number and, without a difference, their distribution. */
export interface RoundPasses {
  possible: Distribution;
  passed: number;
}

export function passesIn(round: readonly Stratum[]): RoundPasses {
  const counted = round.filter(isTested);
  return { possible: passesOfHead(counted), passed: sum(counted, ({ head }) => head.passed) };
}

/** The same as `nextLook`, for rounds that are looked at with several levels. */
export function lookAt(
  before: SequentialTest,
  round: RoundPasses,
  { time, alpha }: { time: number; alpha: number },
): SequentialTest {
  const surviving = add(before.surviving, round.possible);
  const passed = before.passed + round.passed;
  const allowed = spend(time, alpha) / 2;
  const { inside, below, above } = cutTails(surviving, {
    below: allowed - before.spent.worse,
    above: allowed - before.spent.better,
  });
  return {
    surviving: inside,
    passed,
    spent: { better: before.spent.better + above, worse: before.spent.worse + below },
    crossed:
      passed < inside.first
        ? 'worse'
        : passed >= inside.first + inside.probabilities.length
          ? 'better'
          : null,
  };
}

/** Rounding errors must not decide between a side and its mirror image. */
const TOLERANCE = 1e-9;

/** Cuts off outcomes from each end, while their probability is at most what is allowed there. */
function cutTails(
  { first, probabilities }: Distribution,
  most: { below: number; above: number },
): { inside: Distribution; below: number; above: number } {
  const ends = (at: (index: number) => number, limit: number): { count: number; cut: number } => {
    let [count, cut] = [0, 0];
    for (; count < probabilities.length; count++) {
      const next = cut + (probabilities[at(count)] ?? 0);
      if (next > limit * (1 + TOLERANCE)) break;
      cut = next;
    }
    return { count, cut };
  };
  const low = ends((index) => index, most.below);
  const high = ends((index) => probabilities.length - 1 - index, most.above);
  return {
    inside: {
      first: first + low.count,
      probabilities: probabilities.subarray(low.count, probabilities.length - high.count),
    },
    below: low.cut,
    above: high.cut,
  };
}
