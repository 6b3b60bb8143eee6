import { sum, type Count, type Interval } from './counts.js';
import { logChoose } from './log-factorial.js';
import { wilsonInterval } from './wilson-interval.js';

export interface Estimate {
  value: number;
  interval: Interval;
}

/**
 * Returns the mean over configurations of the probability that all of k runs pass; null unless all have more than k
 * runs, since of k runs all pass or they do not. The estimate of each is unbiased: S. Yao et al., "tau-bench: a
 * benchmark for tool-agent-user interaction in real-world domains", arXiv:2406.12045 (2024), section 3. Its interval is
 * that of the pass rate to the power of k. The interval of the mean adds up the distances to their ends: G. Y. Zou and
 * A. Donner, "Construction of confidence limits about effect measures: a general approach", Statistics in Medicine 27
 * (2008) 1693-1702.
 */
export function passHatK(counts: readonly Count[], k: number, options: { alpha: number }): Estimate | null {
  if (counts.length === 0 || k < 1) return null;
  const each = counts.flatMap((count) => {
    const { passed, tested } = count;
    const interval = wilsonInterval(count, options);
    if (interval === null || tested <= k) return [];
    const value = passed < k ? 0 : Math.exp(logChoose(passed, k) - logChoose(tested, k));
    return { value, low: Math.min(value, interval.low ** k), high: Math.max(value, interval.high ** k) };
  });
  if (each.length < counts.length) return null;
  const value = sum(each, (one) => one.value) / each.length;
  const half = (distance: (one: (typeof each)[number]) => number): number =>
    Math.sqrt(sum(each, (one) => distance(one) ** 2)) / each.length;
  return {
    value,
    interval: {
      low: Math.max(0, value - half((one) => one.value - one.low)),
      high: Math.min(1, value + half((one) => one.high - one.value)),
    },
  };
}

/**
 * Returns the same of the probability that at least one of k runs passes. M. Chen et al., "Evaluating large language
 * models trained on code", arXiv:2107.03374 (2021), section 2.1.
 */
export function passAtK(counts: readonly Count[], k: number, options: { alpha: number }): Estimate | null {
  const failed = counts.map(({ passed, tested }) => ({ passed: tested - passed, tested }));
  const none = passHatK(failed, k, options);
  return none && { value: 1 - none.value, interval: { low: 1 - none.interval.high, high: 1 - none.interval.low } };
}
