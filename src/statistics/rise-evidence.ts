import { mean } from '#lib';
import { sum } from './counts.js';
import { logSumExp } from './log-sum-exp.js';

/** Rises that are looked for, as logarithms of factors. */
const RISES = [1.1, 1.25, 1.6, 2.5].map(Math.log);
/** By how much the logarithms of nights are assumed to vary, until enough nights show it. */
const ASSUMED_SD = 0.25;
/** So many nights count as much as the assumption. */
const WEIGHT = 6;

/**
 * Returns the logarithm of how much more probable these means are if they have risen than if they have not: a ratio of likelihoods
 * of Student's t, given how the nights vary on either side. Each value is the logarithm of the mean of a night, so within-night and
 * between-night variation both count. P. Grünwald, R. de Heide and W. Koolen, "Safe testing", JRSS B 86 (2024) 1091-1128.
 */
export function riseEvidence(before: readonly number[], after: readonly number[]): number {
  const [low, high] = [mean(before), mean(after)];
  if (low === null || high === null) return 0;
  const df = WEIGHT + before.length + after.length - 2;
  const squares = sum(before, (value) => (value - low) ** 2) + sum(after, (value) => (value - high) ** 2);
  const variance = ((WEIGHT * ASSUMED_SD ** 2 + squares) / df) * (1 / before.length + 1 / after.length);
  const logDensity = (rise: number): number =>
    (-(df + 1) / 2) * Math.log1p((high - low - rise) ** 2 / variance / df);
  return logSumExp(RISES.map(logDensity)) - Math.log(RISES.length) - logDensity(0);
}
