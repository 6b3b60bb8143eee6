import type { Interval } from './counts.js';
import { logChoose } from './log-factorial.js';
import { normalQuantileOfTail } from './normal.js';

/** Verdicts on the same things, given twice. */
export interface Flips {
  /** All that were given twice. */
  pairs: number;
  toPass: number;
  toFail: number;
}

/** Returns by how much the pass rate has moved. */
export const movedBy = ({ pairs, toPass, toFail }: Flips): number => (toPass - toFail) / pairs;

/**
 * Two-sided exact test of whether as many verdicts flip one way as the other, which is all that noise can do: Q.
 * McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12 (1947)
 * 153-157, with the binomial distribution.
 */
export function flipsP({ toPass, toFail }: Flips): number {
  const all = toPass + toFail;
  let tail = 0;
  for (let flips = 0; flips <= Math.min(toPass, toFail); flips++)
    tail += Math.exp(logChoose(all, flips) - all * Math.LN2);
  return Math.min(1, 2 * tail);
}

/**
 * Returns the score interval of the movement: T. Tango, "Equivalence test and confidence interval for the difference in
 * proportions for the paired-sample design", Statistics in Medicine 17 (1998) 891-908. It is extended to 0 where the
 * exact test finds nothing.
 */
export function movedInterval(flips: Flips, { alpha }: { alpha: number }): Interval {
  const z = normalQuantileOfTail(alpha / 2);
  const [low, high] = [boundOf(flips, z, -1), boundOf(flips, z, 1)];
  const isShown = flipsP(flips) <= alpha;
  return { low: isShown ? low : Math.min(0, low), high: isShown ? high : Math.max(0, high) };
}

/** Bisects between what was observed, whose score is 0, and the end of the scale, whose score is infinite. */
function boundOf(flips: Flips, z: number, end: -1 | 1): number {
  let [inside, outside] = [movedBy(flips), end as number];
  for (let step = 0; step < 60 && Math.abs(outside - inside) > 1e-10; step++) {
    const at = (inside + outside) / 2;
    if (Math.abs(scoreOf(flips, at)) <= z) inside = at;
    else outside = at;
  }
  return outside;
}

function scoreOf({ pairs, toPass, toFail }: Flips, moved: number): number {
  const b = -toPass - toFail + (2 * pairs - toPass + toFail) * moved;
  const c = -toFail * moved * (1 - moved);
  const failed = Math.max(0, -moved, (Math.sqrt(Math.max(0, b * b - 8 * pairs * c)) - b) / (4 * pairs));
  const variance = pairs * (2 * failed + moved * (1 - moved));
  const above = toPass - toFail - pairs * moved;
  if (variance > 0) return above / Math.sqrt(variance);
  return Math.abs(above) < 1e-12 ? 0 : Math.sign(above) * Infinity;
}

/** A number that was estimated, with its interval. */
export interface Estimated extends Interval {
  value: number;
}

/**
 * Returns a difference less another one, as if they were independent: the distances to the ends of their intervals add
 * up as squares. G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
 * approach", Statistics in Medicine 27 (2008) 1693-1702.
 */
export const less = (from: Estimated, moved: Estimated): Estimated => {
  const value = from.value - moved.value;
  return {
    value,
    low: Math.max(-1, value - Math.hypot(from.value - from.low, moved.high - moved.value)),
    high: Math.min(1, value + Math.hypot(from.high - from.value, moved.value - moved.low)),
  };
};
