import { rate, sum, type Interval, type Stratum, isStratumTested } from './counts.js';
import { normalQuantileOfTail } from './normal.js';

/**
 * Returns by how much the pass rate is higher in head: the mean of the strata's differences. All must have runs on both
 * sides.
 */
export const meanDifference = (strata: readonly Stratum[]): number =>
  sum(strata, ({ base, head }) => rate(head) - rate(base)) / strata.length;

/**
 * Returns how far the observed difference lies above `difference`, in standard errors of a hypothesis with that
 * difference. Strata have equal weights, whatever their numbers of runs: the difference is the mean over
 * configurations. O. Miettinen and M. Nurminen, "Comparative analysis of two rates", Statistics in Medicine 4 (1985)
 * 213-226.
 */
export function scoreStatistic(strata: readonly Stratum[], difference: number): number {
  const above = meanDifference(strata) - difference;
  const variance = sum(strata, (stratum) => varianceAt(stratum, difference)) / strata.length ** 2;
  if (variance > 0) return above / Math.sqrt(variance);
  return Math.abs(above) < 1e-12 ? 0 : Math.sign(above) * Infinity;
}

/** Returns the differences whose score is at most z: an interval that inverts a score test. */
export function scoreInterval(strata: readonly Stratum[], z: number): Interval {
  const middle = meanDifference(strata);
  return { low: boundOf(strata, z, middle, -1), high: boundOf(strata, z, middle, 1) };
}

/** Bisects between the observed difference, whose score is 0, and the end of the scale, whose score is infinite. */
function boundOf(strata: readonly Stratum[], z: number, middle: number, end: -1 | 1): number {
  let [inside, outside] = [middle, end as number];
  for (let step = 0; step < 60 && Math.abs(outside - inside) > 1e-10; step++) {
    const at = (inside + outside) / 2;
    if (Math.abs(scoreStatistic(strata, at)) <= z) inside = at;
    else outside = at;
  }
  return outside;
}

export function varianceAt({ base, head }: Stratum, difference: number): number {
  const ofHead = restrictedRate({ base, head }, difference);
  const ofBase = Math.min(1, Math.max(0, ofHead - difference));
  const all = base.tested + head.tested;
  const variance = (ofBase * (1 - ofBase)) / base.tested + (ofHead * (1 - ofHead)) / head.tested;
  return variance * (all / (all - 1));
}

/**
 * Returns the maximum-likelihood estimate of the pass rate of head if it is higher than that of base by `difference`:
 * the middle root of a cubic equation. C. P. Farrington and G. Manning, "Test statistics and sample size formulae for
 * comparative binomial trials", Statistics in Medicine 9 (1990) 1447-1454, appendix.
 */
function restrictedRate({ base, head }: Stratum, difference: number): number {
  // There the roots of the cubic can coincide, which costs half of the digits.
  if (difference === 0) return (base.passed + head.passed) / (base.tested + head.tested);
  const ratio = base.tested / head.tested;
  const [ofHead, ofBase] = [rate(head), rate(base)];
  const a = 1 + ratio;
  const b = -(1 + ratio + ofHead + ratio * ofBase + difference * (ratio + 2));
  const c = difference ** 2 + difference * (2 * ofHead + ratio + 1) + ofHead + ratio * ofBase;
  const d = -ofHead * difference * (1 + difference);
  const third = b / (3 * a);
  const v = third ** 3 - (b * c) / (6 * a * a) + d / (2 * a);
  const u = Math.sqrt(Math.max(0, third ** 2 - c / (3 * a))) * (v < 0 ? -1 : 1);
  const angle = u === 0 ? 0 : (Math.PI + Math.acos(Math.min(1, Math.max(-1, v / u ** 3)))) / 3;
  const root = 2 * u * Math.cos(angle) - third;
  return Math.max(0, difference, Math.min(1, 1 + difference, root));
}

interface Options {
  /** A share, above 0: 0.1 is 10 points. */
  margin: number;
  /** Level of a one-sided test. */
  alpha: number;
}

/** Returns whether head is not worse by the margin or more: the lower bound of the difference is above it. */
export function notWorse(strata: readonly Stratum[], { margin, alpha }: Options): { bound: number; holds: boolean } {
  const tested = strata.filter(isStratumTested);
  const bound = tested.length === 0 ? -1 : scoreInterval(tested, normalQuantileOfTail(alpha)).low;
  return { bound, holds: bound > -margin };
}

/**
 * Returns whether head is neither worse nor better by the margin or more. Both are tested at the full level: D. J.
 * Schuirmann, "A comparison of the two one-sided tests procedure", J. Pharmacokinetics and Biopharmaceutics 15 (1987)
 * 657-680.
 */
export function equivalent(strata: readonly Stratum[], { margin, alpha }: Options): boolean {
  const swapped = strata.map(({ base, head }) => ({ base: head, head: base }));
  return notWorse(strata, { margin, alpha }).holds && notWorse(swapped, { margin, alpha }).holds;
}
