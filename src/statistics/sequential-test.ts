import { isTested, sum, type Stratum } from './counts.js';
import { add, CERTAIN_ZERO, passesOfHead, type Distribution } from './distribution.js';
import { spend } from './spending.js';

/** The state of a sequential exact test after a look. */
export interface SequentialTest {
  /** Probability, without a difference, of each number of passes in head and no earlier stop. */
  surviving: Distribution;
  /** Passes in head so far. */
  passed: number;
  /** The exact probability, without a difference, of a stop at this look or before. */
  spent: number;
  crossed: 'better' | 'worse' | null;
}

export const NO_LOOK: SequentialTest = {
  surviving: CERTAIN_ZERO,
  passed: 0,
  spent: 0,
  crossed: null,
};

/**
 * Returns the test after another round. Given how many runs of each configuration passed in each round, the passes in head are a sum of
 * hypergeometric numbers. Of their distribution without an earlier stop, the most extreme outcomes are cut off, as
 * many as alpha spending allows by `time`; the test stops if the observed outcome is one of them. No
 * normal approximation is used. Rounds may depend on how many runs of both sides passed together before, but not on which side.
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
  const { inside, cut } = cutTails(surviving, spend(time, alpha) - before.spent);
  const at = passed - surviving.first;
  return {
    surviving: inside,
    passed,
    spent: before.spent + cut,
    crossed:
      at < inside.first - surviving.first
        ? 'worse'
        : at >= inside.first - surviving.first + inside.probabilities.length
          ? 'better'
          : null,
  };
}

/** Cuts off outcomes from both ends, always that of the end that loses less, while their probability is at most `most`. */
function cutTails(
  { first, probabilities }: Distribution,
  most: number,
): { inside: Distribution; cut: number } {
  let [low, high, below, above] = [0, probabilities.length - 1, 0, 0];
  while (low < high) {
    const [left, right] = [below + (probabilities[low] ?? 0), above + (probabilities[high] ?? 0)];
    if (Math.min(left + above, below + right) > most) break;
    if (left <= right) {
      below = left;
      low += 1;
    } else {
      above = right;
      high -= 1;
    }
  }
  return {
    inside: { first: first + low, probabilities: probabilities.subarray(low, high + 1) },
    cut: below + above,
  };
}
