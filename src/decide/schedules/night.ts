import { mean } from '#lib';
import { workRunOf } from '#model';
import { wilsonInterval } from '#statistics';
import { ALPHA } from '../comparison/document.js';
import { untested } from '../comparison/findings.js';
import { armsOf, type Sample, type SweepResults } from '../comparison/samples.js';
import type { NightCount } from '../documents/nights.js';
import type { TrendPoint } from '../trends.js';

/** The sweep of a firing that completed, and what it has shown. */
export interface Night {
  sweep: string;
  /** When it was due, ISO 8601 UTC. */
  at: string;
  counts: readonly NightCount[];
}

/** Counts what a sweep has shown of its configurations. `known`: runs of earlier nights, which do not count again if they were reused. */
export const countsOf = (
  sweep: Pick<SweepResults, 'cells' | 'lines'>,
  known: ReadonlySet<string>,
): NightCount[] =>
  [...armsOf({ ...NO_SWEEP, ...sweep }, (line) => known.has(workRunOf(line)), { alpha: ALPHA }).values()].map(
    ({ configuration, samples, side }) => ({
      ...configuration,
      ...{ passed: side.passed, tested: side.tested, untested: untested(side) },
      cost_usd: meanOf(samples, 'cost_usd'),
      duration_secs: meanOf(samples, 'duration_secs'),
    }),
  );

const NO_SWEEP: SweepResults = {
  ...{ sweep: '', variant: null, started: '', status: 'completed', cells: [], combinations: [], lines: [] },
};

const meanOf = (samples: readonly Sample[], name: 'cost_usd' | 'duration_secs'): number | null =>
  mean(samples.map((line) => line[name]));

/** Returns whether a night has tested everything, so that others can be compared with it. */
export const isComplete = (counts: readonly NightCount[]): boolean =>
  counts.length > 0 && counts.every(({ tested }) => tested > 0);

/** The counts of all configurations of a night together. */
export function rateOfNight(
  counts: readonly NightCount[],
): Pick<TrendPoint, 'passed' | 'tested' | 'interval'> {
  const sum = (name: 'passed' | 'tested'): number => counts.reduce((all, one) => all + one[name], 0);
  const rate = { passed: sum('passed'), tested: sum('tested') };
  return { ...rate, interval: wilsonInterval(rate, { alpha: ALPHA }) };
}
