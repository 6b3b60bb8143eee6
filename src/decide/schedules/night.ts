import { mean, groupBy } from '#lib';
import { workRunOf, type ResultDigest } from '#model';
import { wilsonInterval, type Interval } from '#statistics';
import { ALPHA } from '../comparison/document.js';
import { untested } from '../comparison/findings.js';
import { armsOf, type Sample, type SweepResults } from '../comparison/arms.js';
import type { NightCount } from '../documents/nights.js';
import { isTested } from '../is-tested.js';

/** The results of a configuration of a scenario in a sweep. */
export interface TrendPoint {
  sweep: string;
  /** Start of its first run there, ISO 8601 UTC. */
  started: string;
  passed: number;
  /** Runs that passed or failed. */
  tested: number;
  /** The interval of the pass rate (Wilson, 95 %); null if nothing was tested. */
  interval: Interval | null;
  /** Means of the tested runs of which it is known; null: of none. */
  cost_usd: number | null;
  duration_secs: number | null;
}

/** A configuration of a scenario from sweep to sweep, in the order of time. */
export interface Trend extends Pick<ResultDigest, 'variant' | 'agent' | 'model'> {
  points: TrendPoint[];
}

/**
 * Follows a scenario through all sweeps, by configuration. The last result of a cell counts. Reused results are left
 * out: they say nothing new.
 */
export function scenarioTrends(results: readonly ResultDigest[], scenario: string): Trend[] {
  const own = results.filter((line) => line.scenario_id === scenario && line.cached_from === null);
  const last = new Map(own.map((line) => [JSON.stringify([line.sweep, line.cell]), line]));
  const configurations = groupBy([...last.values()], ({ variant, agent, model }) =>
    JSON.stringify([variant, agent, model]),
  );
  return configurations.flatMap((lines) => {
    const [first] = lines;
    if (first === undefined) return [];
    const points = groupBy(lines, ({ sweep }) => sweep)
      .map(pointOf)
      .sort((a, b) => (a.started < b.started ? -1 : 1));
    return { variant: first.variant, agent: first.agent, model: first.model, points };
  });
}

function pointOf(lines: readonly ResultDigest[]): TrendPoint {
  const tested = lines.filter(isTested);
  const passed = tested.filter(({ outcome }) => outcome === 'pass').length;
  return {
    sweep: lines[0]?.sweep ?? '',
    started: lines.map(({ timestamp }) => timestamp).sort()[0] ?? '',
    passed,
    tested: tested.length,
    interval: wilsonInterval({ passed, tested: tested.length }, { alpha: ALPHA }),
    cost_usd: mean(tested.map(({ cost_usd: cost }) => cost)),
    duration_secs: mean(tested.map(({ duration_secs: secs }) => secs)),
  };
}

/** The sweep of a firing that completed, and what it has shown. */
export interface Night {
  sweep: string;
  /** When it was due, ISO 8601 UTC. */
  at: string;
  counts: readonly NightCount[];
}

/**
 * Counts what a sweep has shown of its configurations. `known`: runs of earlier nights, which do not count again if
 * they were reused.
 */
export const countsOf = (sweep: Pick<SweepResults, 'cells' | 'lines'>, known: ReadonlySet<string>): NightCount[] =>
  [...armsOf({ ...NO_SWEEP, ...sweep }, (line) => known.has(workRunOf(line)), { alpha: ALPHA }).values()].map(
    ({ configuration, samples, side }) => ({
      ...configuration,
      passed: side.passed,
      tested: side.tested,
      untested: untested(side),
      ...(side.after_errors === 0
        ? {}
        : { after_errors: { passed: side.passed_after_errors, tested: side.after_errors } }),
      cost_usd: meanOf(samples, 'cost_usd'),
      duration_secs: meanOf(samples, 'duration_secs'),
    }),
  );

const NO_SWEEP: SweepResults = {
  sweep: '',
  variant: null,
  started: '',
  status: 'completed',
  cells: [],
  combinations: [],
  lines: [],
};

const meanOf = (samples: readonly Sample[], name: 'cost_usd' | 'duration_secs'): number | null =>
  mean(samples.map((line) => line[name]));

/** Returns whether a night has tested everything, so that others can be compared with it. */
export const isComplete = (counts: readonly NightCount[]): boolean =>
  counts.length > 0 && counts.every(({ tested }) => tested > 0);

/** The counts of all configurations of a night together. */
export function rateOfNight(counts: readonly NightCount[]): Pick<TrendPoint, 'passed' | 'tested' | 'interval'> {
  const sum = (name: 'passed' | 'tested'): number => counts.reduce((all, one) => all + one[name], 0);
  const rate = { passed: sum('passed'), tested: sum('tested') };
  return { ...rate, interval: wilsonInterval(rate, { alpha: ALPHA }) };
}
