import { mean } from '#lib';
import { sum, type Interval } from './counts.js';
import { tQuantileOfTail } from './student-t.js';
import { smallestDisagreements, type ScorePair } from './weighted-kappa.js';

/**
 * Returns the mean score that people would give to all runs: the judge's mean, corrected by its error on the runs that
 * people scored too; null with fewer than two of those. Its interval allows for two more runs on which they disagree.
 * A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: efficient prediction-powered inference", arXiv:2311.01453
 * (2023).
 */
export function predictionPoweredMean(
  { labelled, judged }: { labelled: readonly ScorePair[]; judged: readonly number[] },
  { alpha }: { alpha: number },
): { mean: number; interval: Interval } | null {
  const [n, others] = [labelled.length, judged.length];
  if (n < 2) return null;
  const weight = others === 0 ? 0 : weightOfJudge(labelled, judged);
  const errors = labelled.map(({ human, judge }) => human - weight * judge);
  const estimate = meanOf(errors) + weight * (mean(judged) ?? 0);
  const doubts = smallestDisagreements(labelled).map(({ human, judge }) => human - judge);
  const ofErrors = (varianceOf(errors) * (n - 1) + sum(doubts, (doubt) => doubt ** 2)) / (n + 1);
  const variance = ofErrors / n + (others < 2 ? 0 : (weight ** 2 * varianceOf(judged)) / others);
  const half = tQuantileOfTail(alpha / 2, n - 1) * Math.sqrt(variance);
  return { mean: estimate, interval: { low: estimate - half, high: estimate + half } };
}

/**
 * Returns how much the judge's scores tell about people's: the weight that makes the interval shortest, from 0 to 1.
 */
function weightOfJudge(labelled: readonly ScorePair[], judged: readonly number[]): number {
  const variance = varianceOf([...labelled.map(({ judge }) => judge), ...judged]);
  if (variance === 0) return 0;
  const [human, judge] = [meanOf(labelled.map((pair) => pair.human)), meanOf(labelled.map((pair) => pair.judge))];
  const covariance = sum(labelled, (pair) => (pair.human - human) * (pair.judge - judge)) / (labelled.length - 1);
  return Math.min(1, Math.max(0, covariance / ((1 + labelled.length / judged.length) * variance)));
}

function varianceOf(values: readonly number[]): number {
  const middle = meanOf(values);
  return sum(values, (value) => (value - middle) ** 2) / (values.length - 1);
}

const meanOf = (values: readonly number[]): number => mean(values) ?? NaN;
