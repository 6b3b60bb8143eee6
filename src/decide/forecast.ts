import { dollars, groupBy, mean, randomFrom } from '#lib';
import { type Cell, isBounded, type ResultDigest, rewardOf } from '#model';
import {
  type Count,
  type ExpectedSweeps,
  expectedRounds,
  expectedRoundsOfMeans,
  firstLevel,
  runsToShow,
  runsToShowMeans,
  smallestMeansToShow,
  smallestToShow,
  type SweepToExpect,
  type ToShow,
} from '#statistics';
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
  /** Only if rewards are compared: those of the earlier runs, from 0 to 1, and their mean, which may be assumed. */
  reward?: { mean: number; earlier: number[] };
  /** Mean cost of a run, US dollars; null if unknown. */
  run_usd: number | null;
  /** Mean duration of a run in seconds; null if unknown. */
  run_secs: number | null;
}

/** The pass rate, or the mean reward. */
type MeasureToPlan = 'passes' | 'reward';

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
  /** The number that is compared. */
  measure: MeasureToPlan;
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
  measure?: MeasureToPlan;
}

/** Returns what is known of configurations by earlier runs, and by what is assumed of those without any. */
export function expectedOf(
  configuration: Pick<ForecastConfiguration, 'scenario' | 'agent' | 'model' | 'variants'>,
  results: readonly ResultDigest[],
  { passRate, usd, secs, measure = 'passes' }: Assumed,
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
  const rewards = passRate === undefined ? runs.map(({ metrics }) => rewardOf(metrics) ?? NaN).filter(isBounded) : [];
  return {
    scenario,
    agent,
    model,
    variants,
    earlier: { passed, tested: runs.length },
    pass_rate: passRate ?? rate ?? 0.5,
    ...(measure === 'reward' ? { reward: { mean: mean(rewards) ?? passRate ?? 0.5, earlier: rewards } } : {}),
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
  measure?: MeasureToPlan;
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
  { measure = 'passes', effect, power, alpha, concurrency, maxUsd, maxRuns, sides, repeat, left }: ForecastOptions,
): Forecast {
  const { level, overall, toShow, smallest, expected } = METHODS[measure](configurations, alpha);
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
    smallest: smallest({ runs: runsEach, alpha: level, power }),
  });
  let needed = Math.ceil(toShow({ difference: effect, alpha: level, power }));
  // With few runs, the exact test finds less than the formula says.
  while ((smallest({ runs: needed, alpha: level, power }) ?? Infinity) > effect + 1e-6) needed += 1;
  const affordable = maxUsd === null || usd === null || usd === 0 ? null : Math.floor(maxUsd / usd);
  const untilClear = (change: number): ForecastRuns & { found: number } => {
    const { rounds, found } = expected(change, { rounds: maxRuns, effect, alpha: left?.alpha ?? alpha });
    return { ...taking(rounds), found };
  };
  const sizes = new Set([...curveTo(needed), needed, ...(repeat === undefined ? [] : [repeat])]);
  return {
    measure,
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
      changed: untilClear(overall >= 0.5 ? -effect : effect),
      unchanged: untilClear(0),
    },
    curve: [...sizes].sort((a, b) => a - b).map(pointOf),
  };
}

/** The way in which configurations are compared. */
interface Method {
  /** The level of the first look at all of the runs. */
  level: number;
  /** The mean pass rate or reward. */
  overall: number;
  /** The runs of each configuration on each side that show a change, not rounded. */
  toShow: (change: ToShow) => number;
  /** The smallest change that so many runs show; null: none. */
  smallest: (runs: Omit<ToShow, 'difference'> & { runs: number }) => number | null;
  /** The average of sweeps whose head differs by `change`. */
  expected: (change: number, sweep: SweepToExpect) => ExpectedSweeps;
}

const METHODS: Record<MeasureToPlan, (configurations: readonly ForecastConfiguration[], alpha: number) => Method> = {
  passes: (configurations, alpha) => {
    const counts = configurations.map(countOf);
    return {
      level: firstLevel(alpha),
      overall: mean(configurations.map(({ pass_rate: rate }) => rate)) ?? 0.5,
      toShow: (change) => runsToShow(counts, change),
      smallest: (runs) => smallestToShow(counts, runs),
      expected: (change, sweep) => {
        const headOf = (base: number): number => Math.min(1, Math.max(0, base + change));
        const rates = configurations.map(({ pass_rate: base }) => ({ base, head: headOf(base) }));
        return expectedRounds(rates, sweep, randomFrom('plan'));
      },
    };
  },
  reward: (configurations, alpha) => {
    const rewards = configurations.map(rewardsOf);
    return {
      // `compare` shows the mean reward as one of its measures, each at the whole level.
      level: alpha,
      overall: mean(configurations.map(({ reward, pass_rate: rate }) => reward?.mean ?? rate)) ?? 0.5,
      toShow: (change) => runsToShowMeans(rewards, change),
      smallest: (runs) => smallestMeansToShow(rewards, runs),
      expected: (change, sweep) => expectedRoundsOfMeans(rewards, change, sweep, randomFrom('plan')),
    };
  },
};

/** The number of runs as which an assumption counts. */
const ASSUMED = 100;

/** Without earlier rewards, they are assumed to be 0 or 1, which takes the most runs. */
function rewardsOf({ reward, pass_rate: rate }: ForecastConfiguration): number[] {
  if (reward !== undefined && reward.earlier.length > 0) return reward.earlier;
  return Array.from({ length: ASSUMED }, (_, at) => (at < ASSUMED * (reward?.mean ?? rate) ? 1 : 0));
}

/** An assumed pass rate counts as if many runs had shown it. */
const countOf = ({ earlier, pass_rate: rate }: ForecastConfiguration): Count =>
  earlier.tested > 0 && rate === earlier.passed / earlier.tested
    ? earlier
    : { passed: ASSUMED * rate, tested: ASSUMED };

/** Numbers of runs up to the first beyond `most`. */
function curveTo(most: number): number[] {
  const all = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000];
  const beyond = all.findIndex((one) => one > most);
  return beyond === -1 ? all : all.slice(0, beyond + 1);
}
