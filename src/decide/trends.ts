import { groupBy, mean } from '#lib';
import type { ResultDigest } from '#model';
import { type Interval, wilsonInterval } from '#statistics';
import { ALPHA } from './comparison/document.js';
import { isTested } from './is-tested.js';

/** What a configuration of a scenario achieved in a sweep. */
export interface TrendPoint {
  sweep: string;
  /** Start of its first run there, ISO 8601 UTC. */
  started: string;
  passed: number;
  /** Runs that passed or failed. */
  tested: number;
  /** Of the pass rate (Wilson, 95 %); null if nothing was tested. */
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
 * Follows a scenario through all sweeps, by configuration. The last result of a cell counts. Reused results are left out: they say
 * nothing new.
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
    ...{ passed, tested: tested.length },
    interval: wilsonInterval({ passed, tested: tested.length }, { alpha: ALPHA }),
    cost_usd: mean(tested.map(({ cost_usd: cost }) => cost)),
    duration_secs: mean(tested.map(({ duration_secs: secs }) => secs)),
  };
}
