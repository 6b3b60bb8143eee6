import type { Interval } from './counts.js';
import { meanContrast } from './mean-contrast.js';
import type { ScorePair } from './score-pairs.js';

/** Returns by how much the judge scores higher than people, with the interval of the paired t test; null without scores. */
export function meanBias(
  pairs: readonly ScorePair[],
  options: { alpha: number },
): { estimate: number; interval: Interval | null } | null {
  // A group with one value on each side is a pair: only the differences of the groups vary.
  return meanContrast(
    pairs.map(({ human, judge }) => ({ base: [human], head: [judge] })),
    options,
  );
}
