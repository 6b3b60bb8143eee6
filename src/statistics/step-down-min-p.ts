import type { Stratum } from './counts.js';
import { passesOfHead, tailsOf } from './distribution.js';
import { midPOfTails, SMALLEST_P } from './mid-p.js';

/** Rounding errors must not make equal p values differ. */
const TOLERANCE = 1e-9;

/**
 * Returns the adjusted p of each configuration: the chance of any false alarm among all of them is at most the level that it is
 * compared with. It is the probability that the smallest p of the configurations that are not yet found would be at most as
 * small as the observed one. Since passes are counts, a configuration whose runs all passed can hardly
 * reach a small p, and costs the others nothing. P. H. Westfall and R. D. Wolfinger, "Multiple tests with discrete
 * distributions", The American Statistician 51 (1997) 3-8.
 */
export function stepDownMinP(strata: readonly Stratum[]): number[] {
  const tests = strata.map(testOf);
  const order = tests.map((test, at) => ({ ...test, at })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(strata.length).fill(1);
  let highest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    // The probability that none is as small, as a logarithm, because the probability of each may be tiny.
    const none = order.slice(rank).reduce((all, other) => all + Math.log1p(-chanceOf(other, p)), 0);
    highest = Math.max(highest, -Math.expm1(none), SMALLEST_P);
    adjusted[at] = highest;
  }
  return adjusted;
}

/** The mid-p of an outcome of a configuration, and of all outcomes that it could have had. */
interface Test {
  p: number;
  /** By p, from the smallest: the probability of a p at most as small. */
  outcomes: { p: number; chance: number }[];
}

function testOf(stratum: Stratum): Test {
  const distribution = passesOfHead([stratum]);
  const p = (passed: number): number => midPOfTails(tailsOf(distribution, passed));
  const outcomes = Array.from(distribution.probabilities, (chance, at) => ({
    p: p(distribution.first + at),
    chance,
  })).sort((a, b) => a.p - b.p);
  let total = 0;
  for (const outcome of outcomes) outcome.chance = total = Math.min(1, total + outcome.chance);
  return { p: p(stratum.head.passed), outcomes };
}

const chanceOf = ({ outcomes }: Test, p: number): number =>
  outcomes.findLast((outcome) => outcome.p <= p * (1 + TOLERANCE))?.chance ?? 0;
