import { mean } from '../lib/mean.js';
import { sum, type Interval } from './counts.js';
import { normalQuantileOfTail } from './normal.js';

/** Scores that a person and the judge gave the same run. */
export interface ScorePair {
  human: number;
  judge: number;
}

/**
 * Returns the agreement of two raters beyond chance: 1 is perfect, 0 what chance gives. A disagreement weighs as the square of its
 * size. Null with fewer than two pairs, or if all scores are the same. J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968) 213-220;
 * standard error by J. L. Fleiss, J. Cohen and B. S. Everitt, Psychological Bulletin 72 (1969) 323-327.
 */
export function weightedKappa(
  pairs: readonly ScorePair[],
  { alpha }: { alpha: number },
): { kappa: number; interval: Interval } | null {
  const n = pairs.length;
  const chance = (of: (other: ScorePair) => number): number => sum(pairs, of) / n;
  const observed = mean(pairs.map(({ human, judge }) => (human - judge) ** 2)) ?? 0;
  // How far each score is from the other rater's scores on average.
  const expected = pairs.map(({ human, judge }) => ({
    human: chance((other) => (human - other.judge) ** 2),
    judge: chance((other) => (judge - other.human) ** 2),
  }));
  const byChance = mean(expected.map(({ human }) => human)) ?? 0;
  if (n < 2 || byChance === 0) return null;
  const influences = pairs.map(({ human, judge }, at) => {
    const { human: a, judge: b } = expected[at] ?? { human: 0, judge: 0 };
    return ((human - judge) ** 2 - observed) / byChance - (observed * (a + b - 2 * byChance)) / byChance ** 2;
  });
  const error = Math.sqrt(sum(influences, (influence) => influence ** 2)) / n;
  const kappa = 1 - observed / byChance;
  const half = normalQuantileOfTail(alpha / 2) * error;
  return { kappa, interval: { low: Math.max(-1, kappa - half), high: Math.min(1, kappa + half) } };
}
