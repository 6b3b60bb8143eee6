import { mean } from '../lib/mean.js';
import { sum, type Interval } from './counts.js';
import { tQuantileOfTail, tTail } from './student-t.js';

/** Values of a configuration's runs on both sides. */
export interface Group {
  base: readonly number[];
  head: readonly number[];
}

export interface Contrast {
  estimate: number;
  /** Null: the variation between runs is unknown. */
  interval: Interval | null;
  p: number | null;
}

/**
 * Returns the mean over groups of mean(head) - mean(base), with the interval and the two-sided p of Welch's t test; null if no group
 * has values on both sides. The variance of each side is its own. B. L. Welch, "The generalization of 'Student's' problem when
 * several different population variances are involved", Biometrika 34 (1947) 28-35, for any sum of means.
 * If no group has two values on a side, the groups themselves are the sample.
 */
export function meanContrast(groups: readonly Group[], { alpha }: { alpha: number }): Contrast | null {
  const compared = groups.filter(({ base, head }) => base.length > 0 && head.length > 0);
  const differences = compared.map(({ base, head }) => meanOf(head) - meanOf(base));
  if (differences.length === 0) return null;
  const estimate = meanOf(differences);
  const error = errorWithin(compared) ?? errorOf(differences);
  if (error === null) return { estimate, interval: null, p: null };
  const half = tQuantileOfTail(alpha / 2, error.df) * error.size;
  return {
    estimate,
    interval: { low: estimate - half, high: estimate + half },
    p: error.size === 0 ? (estimate === 0 ? 1 : null) : 2 * tTail(Math.abs(estimate) / error.size, error.df),
  };
}

/** A standard error and its degrees of freedom. */
interface StandardError {
  size: number;
  df: number;
}

/** From the variation within sides. A side with one value is assumed to vary like the others. */
function errorWithin(groups: readonly Group[]): StandardError | null {
  const sides = groups.flatMap(({ base, head }) => [base, head]);
  const repeated = sides.filter(({ length }) => length > 1);
  if (repeated.length === 0) return null;
  const df = sum(repeated, ({ length }) => length - 1);
  const pooled = sum(repeated, (values) => squares(values)) / df;
  const parts = sides.map((values) =>
    values.length > 1
      ? { variance: squares(values) / (values.length - 1) / values.length, df: values.length - 1 }
      : { variance: pooled, df },
  );
  const variance = sum(parts, (part) => part.variance);
  const perDf = sum(parts, (part) => part.variance ** 2 / part.df);
  return { size: Math.sqrt(variance) / groups.length, df: perDf === 0 ? df : variance ** 2 / perDf };
}

function errorOf(values: readonly number[]): StandardError | null {
  const df = values.length - 1;
  return df === 0 ? null : { size: Math.sqrt(squares(values) / df / values.length), df };
}

const squares = (values: readonly number[]): number => {
  const middle = meanOf(values);
  return sum(values, (value) => (value - middle) ** 2);
};

/** The sum of equal values, divided by their number, can differ from them in the last digit, which would look like a difference. */
const meanOf = (values: readonly number[]): number => {
  const [first = NaN] = values;
  return values.every((value) => value === first) ? first : (mean(values) ?? NaN);
};
