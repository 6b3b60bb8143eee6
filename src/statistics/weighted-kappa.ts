import { sum, type Interval } from './counts.js';
import { tQuantileOfTail } from './student-t.js';

/** Scores that a person and the judge gave the same run. */
export interface ScorePair {
  human: number;
  judge: number;
}

/**
 * Returns two pairs that disagree by the smallest step of the scale, in opposite directions; none if all scores are
 * the same. Added to a few pairs that all agree, they keep an interval from having no width, like the two successes and
 * failures of A. Agresti and B. A. Coull, The American Statistician 52 (1998) 119-126.
 */
export function smallestDisagreements(pairs: readonly ScorePair[]): ScorePair[] {
  const scores = [...new Set(pairs.flatMap(({ human, judge }) => [human, judge]))].sort((a, b) => a - b);
  const steps = scores.slice(1).map((high, at) => ({ low: scores[at] ?? high, high }));
  const [smallest] = steps.sort((a, b) => a.high - a.low - (b.high - b.low));
  if (smallest === undefined) return [];
  const { low, high } = smallest;
  return [
    { human: low, judge: high },
    { human: high, judge: low },
  ];
}

/**
 * Returns the agreement of two raters beyond chance: 1 is perfect, 0 is what chance gives. A disagreement weighs as the
 * square of its size. Null with fewer than two pairs, or if all scores are the same. J. Cohen, "Weighted kappa",
 * Psychological Bulletin 70 (1968) 213-220. The interval uses Student's t, because pairs are few; it reaches from the
 * lowest to the highest end of two: that of the pairs, and that of these and two more that disagree.
 */
export function weightedKappa(
  pairs: readonly ScorePair[],
  { alpha }: { alpha: number },
): { kappa: number; interval: Interval } | null {
  const plain = pairs.length < 2 ? null : estimateOf(pairs);
  const careful = estimateOf([...pairs, ...smallestDisagreements(pairs)]);
  if (plain === null || careful === null) return null;
  const t = tQuantileOfTail(alpha / 2, pairs.length - 1);
  const ends = (sign: -1 | 1): number[] => [plain, careful].map(({ kappa, error }) => kappa + sign * t * error);
  return {
    kappa: plain.kappa,
    interval: { low: Math.max(-1, Math.min(...ends(-1))), high: Math.min(1, Math.max(...ends(1))) },
  };
}

/**
 * Standard error by J. L. Fleiss, J. Cohen and B. S. Everitt, Psychological Bulletin 72 (1969) 323-327, written as a
 * sum over pairs.
 */
function estimateOf(pairs: readonly ScorePair[]): { kappa: number; error: number } | null {
  const mean = (of: (pair: ScorePair) => number): number => sum(pairs, of) / pairs.length;
  const observed = mean(({ human, judge }) => (human - judge) ** 2);
  // The distances of each pair's scores from the other rater's scores on average, together.
  const distances = pairs.map((pair) =>
    mean((other) => (pair.human - other.judge) ** 2 + (pair.judge - other.human) ** 2),
  );
  const byChance = sum(distances, (distance) => distance) / pairs.length / 2;
  if (!(byChance > 0)) return null;
  const influences = pairs.map(
    ({ human, judge }, at) =>
      ((human - judge) ** 2 - observed) / byChance - (observed * ((distances[at] ?? 0) - 2 * byChance)) / byChance ** 2,
  );
  const error = Math.sqrt(sum(influences, (influence) => influence ** 2)) / pairs.length;
  return { kappa: 1 - observed / byChance, error };
}
