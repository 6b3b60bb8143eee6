import { mean } from '#lib';
import { sum, type Count } from './counts.js';

/** The deviation of a night's log-odds that is assumed at least: from 80 to 75 or 84 %. */
const LEAST = 0.3;
/** So many differences between nights count as much as the assumption. */
const WEIGHT = 10;

/**
 * Estimates by how much nights differ besides chance: the standard deviation of the log-odds that their configurations share. It comes from
 * the differences between a night and the next, which one change of the level hardly affects, and is never below what is
 * assumed. J. von Neumann and others, "The mean square successive difference", Annals of Mathematical Statistics 12 (1941) 153-162.
 * `nights`: in the order of time, each with the same configurations.
 */
export function nightSd(nights: readonly (readonly Count[])[]): number {
  const full = nights.filter((night) => night.length > 0 && night.every(({ tested }) => tested > 0));
  const [first = []] = full;
  if (full.length < 3) return LEAST;
  const variances = first.map((_, at) => {
    const of = (name: keyof Count): number => sum(full, (night) => night[at]?.[name] ?? 0);
    const rate = (of('passed') + 0.5) / (of('tested') + 1);
    return rate * (1 - rate);
  });
  const slope = mean(variances) ?? 0;
  const points = full.map((night) => ({
    rate: mean(night.map(({ passed, tested }) => passed / tested)) ?? 0,
    variance: varianceOf(night, variances),
  }));
  const excess = points.slice(1).map(({ rate, variance }, at) => {
    const before = points[at] ?? { rate, variance };
    return ((rate - before.rate) ** 2 - variance - before.variance) / 2 / slope ** 2;
  });
  const estimate = (WEIGHT * LEAST ** 2 + sum(excess, (one) => one)) / (WEIGHT + excess.length);
  return Math.sqrt(Math.max(LEAST ** 2, estimate));
}

const varianceOf = (night: readonly Count[], variances: readonly number[]): number =>
  sum(
    night.map(({ tested }, at) => (variances[at] ?? 0) / tested),
    (one) => one,
  ) /
  night.length ** 2;
