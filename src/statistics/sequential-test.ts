import { isStratumTested, sum, type Stratum } from './counts.js';
import { add, CERTAIN_ZERO, passesOfHead, type Distribution } from './distribution.js';
import { MAX_PAIRS, planeAfter } from './one-configuration.js';
import { spend } from './spending.js';

type Side = 'better' | 'worse';

/** The state of a sequential exact test after a look. */
export interface SequentialTest {
  /** Pairs in each round so far. */
  pairs: readonly number[];
  /** Passes so far. */
  base: number;
  head: number;
  /**
   * For several configurations: the probability, without a difference, of each number of passes in head and no earlier
   * stop.
   */
  surviving: Distribution;
  /** For several configurations: the exact probabilities, without a difference, that these were cut off by now. */
  cut: Record<Side, number>;
  /**
   * For several configurations: the highest probability that one side passed all its runs and the other none, when that
   * first decided.
   */
  contrast: number | null;
  /** The highest probability of a stop at this look or before, without a difference. */
  spent: number;
  crossed: Side | null;
}

export const NO_LOOK: SequentialTest = {
  pairs: [],
  base: 0,
  head: 0,
  surviving: CERTAIN_ZERO,
  contrast: null,
  spent: 0,
  crossed: null,
  cut: { better: 0, worse: 0 },
};

interface Plan {
  alpha: number;
  /** Pairs of all configurations together at the cap. */
  most: number;
}

/**
 * Returns the test after another round; both sides have as many runs in it. A single configuration is tested by its
 * whole table so far (`one-configuration.ts`). Of several, it is given how many runs of each configuration passed in
 * each round: then the passes in head are a sum of hypergeometric numbers. Of their distribution without an earlier
 * stop, the most extreme outcomes of each side are cut off, as many as half of what alpha spending allows by now; the
 * test stops if the observed outcome is one of them. So a rise and a fall are found alike. No normal approximation is
 * used. Rounds may depend on how many runs of both sides passed together before, but not on which side.
 */
export const nextLook = (before: SequentialTest, round: readonly Stratum[], plan: Plan): SequentialTest =>
  lookAt(before, passesIn(round), plan);

/** The passes of a round, and the distribution of those in head without a difference. */
export interface RoundPasses {
  configurations: number;
  pairs: number;
  base: number;
  head: number;
  possible: Distribution;
}

export function passesIn(round: readonly Stratum[]): RoundPasses {
  const counted = round.filter(isStratumTested);
  return {
    configurations: round.length,
    pairs: sum(counted, ({ base, head }) => Math.min(base.tested, head.tested)),
    base: sum(counted, ({ base }) => base.passed),
    head: sum(counted, ({ head }) => head.passed),
    possible: passesOfHead(counted),
  };
}

/** The same as `nextLook`, for rounds that are looked at with several levels. */
export function lookAt(before: SequentialTest, round: RoundPasses, plan: Plan): SequentialTest {
  const after = {
    ...before,
    pairs: [...before.pairs, round.pairs],
    base: before.base + round.base,
    head: before.head + round.head,
  };
  return round.configurations === 1 && plan.most <= MAX_PAIRS
    ? atOne(after, plan)
    : atSeveral(after, add(before.surviving, round.possible), plan);
}

function atOne(after: SequentialTest, plan: Plan): SequentialTest {
  const { pairs, stops, spent } = planeAfter(after.pairs, plan);
  const { base, head } = after;
  const crossed = !stops.has(base * (pairs + 1) + head) ? null : head > base ? 'better' : 'worse';
  return { ...after, spent: Math.max(...spent), crossed };
}

/** The share of alpha that may be spent on the outcome that one side passed all its runs and the other none. */
const CONTRAST = 0.16;

/** The fewest pairs of several configurations after which a full contrast decides. */
export const firstContrast = (alpha: number): number => Math.ceil(Math.log(2 / (CONTRAST * alpha)) / Math.log(4));

/**
 * Given the passes of each round, a full contrast is as probable as many other outcomes. Without that condition, it is
 * at most 1/4 in each pair and direction, whatever the pass rates are. So it decides as soon as this is little, which
 * costs the other looks as much.
 */
function atSeveral(after: SequentialTest, possible: Distribution, { alpha, most }: Plan): SequentialTest {
  const pairs = sum(after.pairs, (one) => one);
  if (pairs < firstContrast(alpha)) return { ...after, surviving: possible, crossed: null };
  const contrast = after.contrast ?? 2 * 4 ** -pairs;
  const allowed = spend(pairs / most, alpha - contrast) / 2;
  const { inside, below, above } = cutTails(possible, {
    below: allowed - after.cut.worse,
    above: allowed - after.cut.better,
  });
  const cut = { better: after.cut.better + above, worse: after.cut.worse + below };
  const end = inside.first + inside.probabilities.length;
  const { base, head } = after;
  const isContrast = after.contrast === null && Math.abs(head - base) === pairs;
  return {
    ...after,
    surviving: inside,
    contrast,
    cut,
    spent: contrast + cut.better + cut.worse,
    crossed: isContrast
      ? head > base
        ? 'better'
        : 'worse'
      : head < inside.first
        ? 'worse'
        : head >= end
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
