import { isStratumTested, sum, type Stratum } from './counts.js';
import { add, CERTAIN_ZERO, combine, passesOfHead, tailsOf, type Distribution } from './distribution.js';
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
   * stop, given the passes of both sides in each round.
   */
  surviving: Distribution;
  /** For several configurations: the probabilities, without a difference, that these were cut off by now. */
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

/** The passes of a round, and the distribution of those in head without a difference. */
export interface RoundPasses {
  configurations: number;
  pairs: number;
  base: number;
  head: number;
  /** Given how many runs of each configuration passed in the round. */
  possible: Distribution;
  /**
   * By passes of head in all rounds so far: how many times more probable they are, given how many runs of each
   * configuration passed so far, than if it is also given in which rounds.
   */
  ratios: Distribution;
  /**
   * The probability of fewer and of more passes in head than those: if pairs were alike more often than chance allows,
   * their rounds leave less room.
   */
  outside: { below: number; above: number };
}

/** Returns the passes of each round. `tables`: the counts of each configuration after each of them. */
export function* passesIn(
  rounds: readonly (readonly Stratum[])[],
  tables: readonly (readonly Stratum[])[],
): Generator<RoundPasses> {
  let byRound = CERTAIN_ZERO;
  for (const [at, round] of rounds.entries()) {
    const counted = round.filter(isStratumTested);
    const possible = passesOfHead(counted);
    byRound = add(byRound, possible);
    const whole = passesOfHead(tables[at] ?? []);
    const last = byRound.first + byRound.probabilities.length - 1;
    yield {
      configurations: round.length,
      pairs: sum(counted, ({ base, head }) => Math.min(base.tested, head.tested)),
      base: sum(counted, ({ base }) => base.passed),
      head: sum(counted, ({ head }) => head.passed),
      possible,
      ratios: combine(byRound, whole, (apart, together) => together / apart),
      outside: { below: tailsOf(whole, byRound.first).below, above: tailsOf(whole, last).above },
    };
  }
}

/**
 * Returns the test after another round; both sides have as many runs in it. A single configuration is tested by its
 * whole table so far (`one-configuration.ts`). Of several, it is given how many of their runs passed so far: then the
 * passes in head are a sum of hypergeometric numbers. Which of these outcomes would have stopped the test before
 * depends on the rounds in which runs passed, and is taken from the rounds as they were. Of the others, the most
 * extreme outcomes of each side are cut off, as many as half of what alpha spending allows by now; the test stops if
 * the observed outcome is one of them. So a rise and a fall are found alike. No normal approximation is used. Rounds
 * may depend on how many runs of both sides passed together before, but not on which side.
 */
export function lookAt(before: SequentialTest, round: RoundPasses, plan: Plan): SequentialTest {
  const after = {
    ...before,
    pairs: [...before.pairs, round.pairs],
    base: before.base + round.base,
    head: before.head + round.head,
  };
  return round.configurations === 1 && plan.most <= MAX_PAIRS
    ? atOne(after, plan)
    : atSeveral(after, add(before.surviving, round.possible), round, plan);
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
 * Given the passes of both sides, a full contrast is as probable as many other outcomes. Without that condition, it is
 * at most 1/4 in each pair and direction, whatever the pass rates are. So it decides as soon as this is little, which
 * costs the other looks as much.
 */
function atSeveral(
  after: SequentialTest,
  possible: Distribution,
  { ratios, outside }: RoundPasses,
  { alpha, most }: Plan,
): SequentialTest {
  const pairs = sum(after.pairs, (one) => one);
  if (pairs < firstContrast(alpha)) return { ...after, surviving: possible, crossed: null };
  const contrast = after.contrast ?? 2 * 4 ** -pairs;
  const allowed = spend(pairs / most, alpha - contrast) / 2;
  const remaining = after.contrast === null ? withoutContrast(possible, pairs) : possible;
  const { probabilities } = combine(remaining, ratios, (apart, ratio) => apart * ratio);
  const below = cutOff(probabilities, allowed - after.cut.worse - outside.below);
  const above = cutOff(probabilities.toReversed(), allowed - after.cut.better - outside.above);
  const cut = { better: after.cut.better + above.probability, worse: after.cut.worse + below.probability };
  const surviving = {
    first: remaining.first + below.count,
    probabilities: remaining.probabilities.subarray(below.count, probabilities.length - above.count),
  };
  const end = surviving.first + surviving.probabilities.length;
  const { base, head } = after;
  const isContrast = after.contrast === null && Math.abs(head - base) === pairs;
  return {
    ...after,
    surviving,
    contrast,
    cut,
    spent: contrast + cut.better + cut.worse,
    crossed: isContrast
      ? head > base
        ? 'better'
        : 'worse'
      : head < surviving.first
        ? 'worse'
        : head >= end
          ? 'better'
          : null,
  };
}

/** A full contrast has stopped the test, which its other looks need not allow for again. */
const withoutContrast = ({ first, probabilities }: Distribution, pairs: number): Distribution =>
  probabilities.length === pairs + 1
    ? { first: first + 1, probabilities: probabilities.subarray(1, pairs) }
    : { first, probabilities };

/** Rounding errors must not decide between a side and its mirror image. */
const TOLERANCE = 1e-9;

/** Cuts off the first outcomes, while their probability is at most what is allowed. */
function cutOff(probabilities: Float64Array, most: number): { count: number; probability: number } {
  let [count, probability] = [0, 0];
  for (; count < probabilities.length; count++) {
    const next = probability + (probabilities[count] ?? 0);
    if (next > most * (1 + TOLERANCE)) break;
    probability = next;
  }
  return { count, probability };
}
