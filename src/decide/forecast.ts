import { dollars, groupBy, mean, randomFrom } from '#lib';
import type { Cell, ResultDigest } from '#model';
import { type Count, type ExpectedSweeps, expectedRounds, firstLevel, runsToShow, smallestToShow } from '#statistics';
import { configurationKey } from './decision/paired-cells.js';
import type { SpentBefore } from './decision/until-clear.js';
import { isTested } from './is-tested.js';

/** The expectations of a configuration that is to be compared with itself. */
export interface ForecastConfiguration extends Pick<Cell, 'scenario' | 'agent' | 'model'> {
  /** The variants that will run: one, or that of base and that of head. */
  variants: string[];
  /** Its earlier runs, of all these variants. */
  earlier: Count;
  /** From 0 to 1: of the earlier runs or, without any, as assumed. */
  pass_rate: number;
  /** Mean cost of a run, US dollars; null if unknown. */
  run_usd: number | null;
  /** Mean duration of a run in seconds; null if unknown. */
  run_secs: number | null;
}

/** The price of a number of runs of each configuration on each side, and the change that they show. */
export interface ForecastPoint {
  runs_each: number;
  runs: number;
  usd: number | null;
  secs: number | null;
  /** The smallest change that is shown with the power asked for, from 0 to 1; null: none. */
  smallest: number | null;
}

/** The runs that `run --until-clear --effect` is expected to take. */
interface ForecastUntilClear {
  most_runs: number;
  /** Its level over all looks. */
  alpha: number;
  /** Absent: nobody has asked the same before, or it is not known what will be compared. */
  spent_before?: SpentBefore;
  /** If head passes less often by the effect or, where most runs fail, more often. */
  changed: ForecastRuns & { found: number };
  unchanged: ForecastRuns & { found: number };
}
type ForecastRuns = Pick<ForecastPoint, 'runs' | 'usd' | 'secs'>;

/** The document of `plan`. */
export interface Forecast {
  effect: number;
  power: number;
  /** The level of all looks at a question together. */
  alpha: number;
  /** The level of its first look, which compares all of the runs. */
  level: number;
  concurrency: number;
  configurations: ForecastConfiguration[];
  /** The fewest runs that show the effect. */
  needed: ForecastPoint;
  /** The most runs for `max_usd`; null: no limit was given, or the cost is unknown or 0. */
  affordable: (ForecastPoint & { max_usd: number }) | null;
  until_clear: ForecastUntilClear;
  /** From few runs to somewhat more than needed. */
  curve: ForecastPoint[];
}

/** Earlier runs that count: later ones say more about today. */
const MAX_EARLIER = 50;

/** The user's expectations of runs of which nothing is known. */
interface Assumed {
  /** From 0 to 1. Without it, half of the runs: then it takes the most runs. */
  passRate?: number;
  usd?: number;
  secs?: number;
}

/** Returns what is known of configurations by earlier runs, and by what is assumed of those without any. */
export function expectedOf(
  configuration: Pick<ForecastConfiguration, 'scenario' | 'agent' | 'model' | 'variants'>,
  results: readonly ResultDigest[],
  { passRate, usd, secs }: Assumed,
): ForecastConfiguration {
  const { scenario, agent, model, variants } = configuration;
  const runs = results
    .filter(
      (line) =>
        line.scenario_id === scenario &&
        line.agent === agent &&
        line.model === model &&
        variants.includes(line.variant) &&
        line.cached_from === null &&
        line.regraded_from === undefined &&
        isTested(line),
    )
    .slice(-MAX_EARLIER);
  const passed = runs.filter(({ outcome }) => outcome === 'pass').length;
  const rate = runs.length === 0 ? null : passed / runs.length;
  return {
    scenario,
    agent,
    model,
    variants,
    earlier: { passed, tested: runs.length },
    pass_rate: passRate ?? rate ?? 0.5,
    run_usd: usd ?? mean(runs.map(({ cost_usd: cost }) => cost)),
    run_secs: secs ?? mean(runs.map(({ duration_secs: duration }) => duration)),
  };
}

/** The configurations of a sweep, each to be compared with itself in another sweep. */
export const configurationsIn = (
  cells: readonly Cell[],
): Pick<ForecastConfiguration, 'scenario' | 'agent' | 'model' | 'variants'>[] =>
  groupBy(cells, configurationKey).flatMap((group) =>
    group.slice(0, 1).map(({ scenario, agent, model, variant }) => ({
      scenario,
      agent,
      model,
      variants: [variant],
    })),
  );

interface ForecastOptions {
  /** From 0 to 1. */
  effect: number;
  power: number;
  alpha: number;
  concurrency: number;
  maxUsd: number | null;
  /** The most runs of each configuration on each side of a sweep that runs until its verdict is clear. */
  maxRuns: number;
  /** The alpha that is left for a sweep that runs until its verdict is clear; absent: all of it. */
  left?: { alpha: number; before: SpentBefore };
  /** The sides that are paid for: one if base has run already. */
  sides: 1 | 2;
  /** A number of runs that the curve has, too. */
  repeat?: number;
}

/** Says how many runs it takes to show a change, what they cost, and how small a change can be shown for how much. */
export function forecast(
  configurations: readonly ForecastConfiguration[],
  { effect, power, alpha, concurrency, maxUsd, maxRuns, sides, repeat, left }: ForecastOptions,
): Forecast {
  const known = configurations.map(countOf);
  const level = firstLevel(alpha);
  const sumOf = (field: 'run_usd' | 'run_secs'): number | null => {
    const values = configurations.flatMap((one) => one[field] ?? []);
    return values.length < configurations.length ? null : sides * values.reduce((sum, one) => sum + one, 0);
  };
  const [usd, secs] = [sumOf('run_usd'), sumOf('run_secs')];
  const taking = (runsEach: number): ForecastRuns => {
    const runs = Math.round(runsEach * configurations.length * sides);
    return {
      runs,
      usd: usd === null ? null : dollars(runsEach * usd),
      secs: secs === null ? null : Math.round((runsEach * secs) / Math.max(1, Math.min(concurrency, runs))),
    };
  };
  const pointOf = (runsEach: number): ForecastPoint => ({
    runs_each: runsEach,
    ...taking(runsEach),
    smallest: smallestToShow(known, { runs: runsEach, alpha: level, power }),
  });
  let needed = Math.ceil(runsToShow(known, { difference: effect, alpha: level, power }));
  // With few runs, the exact test finds less than the formula says.
  while ((smallestToShow(known, { runs: needed, alpha: level, power }) ?? Infinity) > effect + 1e-6) needed += 1;
  const affordable = maxUsd === null || usd === null || usd === 0 ? null : Math.floor(maxUsd / usd);
  const untilClear = (change: number): ForecastRuns & { found: number } => {
    const rates = configurations.map(({ pass_rate: base }) => ({
      base,
      head: Math.min(1, Math.max(0, base + change)),
    }));
    const { rounds, found }: ExpectedSweeps = expectedRounds(
      rates,
      { rounds: maxRuns, effect, alpha: left?.alpha ?? alpha },
      randomFrom('plan'),
    );
    return { ...taking(rounds), found };
  };
  const meanRate = mean(configurations.map(({ pass_rate: rate }) => rate)) ?? 0.5;
  const sizes = new Set([...curveTo(needed), needed, ...(repeat === undefined ? [] : [repeat])]);
  return {
    effect,
    power,
    alpha,
    level,
    concurrency,
    configurations: [...configurations],
    needed: pointOf(needed),
    affordable: affordable === null || maxUsd === null ? null : { max_usd: maxUsd, ...pointOf(affordable) },
    until_clear: {
      most_runs: maxRuns,
      alpha: left?.alpha ?? alpha,
      ...(left === undefined ? {} : { spent_before: left.before }),
      changed: untilClear(meanRate >= 0.5 ? -effect : effect),
      unchanged: untilClear(0),
    },
    curve: [...sizes].sort((a, b) => a - b).map(pointOf),
  };
}

/** An assumed pass rate counts as if many runs had shown it. */
const countOf = ({ earlier, pass_rate: rate }: ForecastConfiguration): Count =>
  earlier.tested > 0 && rate === earlier.passed / earlier.tested ? earlier : { passed: 100 * rate, tested: 100 };

/** Numbers of runs up to the first beyond `most`. */
function curveTo(most: number): number[] {
  const all = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000];
  const beyond = all.findIndex((one) => one > most);
  return beyond === -1 ? all : all.slice(0, beyond + 1);
}

/** The times of the cells of a sweep. Cells of the same `kind` are expected to take about the same time. */
interface SweepTimes {
  /** Runs that were really performed, with their durations. */
  finished: readonly { kind: string; secs: number }[];
  /** The runs that hold a slot, and how long each has been going. */
  running: readonly { kind: string; secs: number }[];
  /** Cells that have no slot yet, and for how long they cannot have one. */
  waiting: readonly { kind: string; secs: number }[];
}

/** With fewer finished runs, nothing is said. */
const FEWEST = 3;
/** A run that has already taken longer than others is expected to take this part of their time from now on. */
const LATE = 0.25;

/**
 * Estimates how long a sweep will take from now on, in seconds: runs take as long as the finished ones of their kind
 * did on average, and as many run at once as now. Null if there is no basis: too few runs have finished, or none of a
 * kind that is still to run.
 */
export function remainingSecs({ finished, running, waiting }: SweepTimes): number | null {
  if (finished.length < FEWEST) return null;
  const alike = groupBy(finished, ({ kind }) => kind);
  const usual = new Map(alike.map((runs) => [runs[0]?.kind, mean(runs.map(({ secs }) => secs)) ?? 0]));
  if ([...running, ...waiting].some(({ kind }) => !usual.has(kind))) return null;
  const usualOf = (kind: string): number => usual.get(kind) ?? 0;
  const slots = running.map((run) => Math.max(usualOf(run.kind) - run.secs, LATE * usualOf(run.kind)));
  if (slots.length === 0) slots.push(0);
  for (const { kind, secs: until } of waiting) {
    const first = slots.indexOf(Math.min(...slots));
    slots[first] = Math.max(slots[first] ?? 0, until) + usualOf(kind);
  }
  return Math.max(...slots);
}
