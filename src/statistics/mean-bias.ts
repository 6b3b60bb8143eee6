import { sum, type Interval } from './counts.js';
import type { ScorePair } from './score-pairs.js';
import { tQuantileOfTail } from './student-t.js';

/** Returns by how much the judge scores higher than people, with the interval of the paired t test; null without scores. */
export function meanBias(
  pairs: readonly ScorePair[],
  { alpha }: { alpha: number },
): { estimate: number; interval: Interval | null } | null {
  if (pairs.length === 0) return null;
  const differences = pairs.map(({ human, judge }) => judge - human);
  const estimate = sum(differences, (one) => one) / pairs.length;
  const df = pairs.length - 1;
  if (df === 0) return { estimate, interval: null };
  const variance = sum(differences, (one) => (one - estimate) ** 2) / df;
  const half = tQuantileOfTail(alpha / 2, df) * Math.sqrt(variance / pairs.length);
  return { estimate, interval: { low: estimate - half, high: estimate + half } };
}
