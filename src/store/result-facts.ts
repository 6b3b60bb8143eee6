import { join } from 'node:path';
import {
  costOwner,
  type CostOwner,
  endedWithoutResult,
  errorsWithin,
  isDecided,
  isTested,
  predictsCost,
} from '#decide';
import { dollars } from '#lib';
import { configurationOf, type ResultDigest } from '#model';
import type { ResultPlace } from './log-lines.js';

/** The facts kept in memory about a finished run: enough to find it and to compare with it. */
interface KnownResult extends Pick<
  ResultDigest,
  'id' | 'sweep' | 'cell' | 'outcome' | 'unchecked' | 'cost_usd' | 'judge_score' | 'cached_from'
> {
  composite_score: number | null;
  /** When it was started, ms since the epoch. */
  startedAt: number;
  /** Names of the gates that passed. */
  gatesPassed: string[];
  /** Absolute path of the run's folder. */
  folder: string;
}

/** The facts that follow from all results in a log. */
export interface ResultFacts {
  /** The last result of each cell of a sweep. */
  ofSweep(sweep: string): ReadonlyMap<string, KnownResult>;
  /** Known cost of all runs of a cell in a sweep, US dollars. */
  spent(sweep: string, cell: string): number;
  /** Known cost of all runs that were started in a month like 2026-11 (UTC), by sweep; US dollars. */
  spentIn(month: string): ReadonlyMap<string, number>;
  /**
   * The last run with this cache key that passed or failed, whether its agent completed or not: if only some kinds of
   * failure were run again, a cell would pass sooner or later. For the same reason, runs that repeat a result of their
   * cell in their sweep (`retry --failed`) do not count.
   */
  reusable(cacheKey: string): KnownResult | null;
  /** True if a run with these inputs has ended: without one, no result can be reused. */
  knows(inputs: string): boolean;
  /** The number of runs that ended without a result, in whose place a result of a cell counts. */
  hiddenBy(result: HidingResult): number;
  /** Returns whether a cell of a sweep has ever passed or failed, whatever came later. */
  isDecided(sweep: string, cell: string): boolean;
  /** The last run of the cell before `run` that passed or failed. */
  previous(cell: string, run: string): KnownResult | null;
  /** The other results in a result's sweep that have its configuration, and passed or failed. */
  besides(result: KnownResult, run: string): KnownResult[];
  /** The highest cost of a run of this scenario, agent and model, US dollars; null if unknown. */
  highestCost(of: CostOwner): number | null;
}

/** A result that is about to count. */
interface HidingResult extends Pick<ResultDigest, 'sweep' | 'cell'> {
  /** Runs with these inputs count that came after the last result with them: that one would have been reused. */
  inputs: readonly string[];
  /** The run whose work is checked again: it hides nothing itself, but the runs of its cell before it do. */
  work: Pick<ResultDigest, 'id' | 'sweep' | 'cell' | 'errors_before' | 'lost_runs' | 'begun_anew'> | null;
}

/** Facts to which results are added in the order of the log, and where the lines of results begin. */
interface GrowingFacts extends ResultFacts {
  add(result: ResultDigest, place: ResultPlace): void;
  /** Where the last line of a result begins; undefined if there is none. */
  beginOf(id: string): number | undefined;
  /** Where the lines of a sweep begin. */
  beginsOf(sweep: string): number[];
}

/** Returns the month of a time in UTC: 2026-11 of 2026-11-28T20:00:00.000Z. */
export const monthIn = (time: string): string => time.slice(0, '2026-11'.length);

/** Creates the facts of an empty log. */
export function createFacts(resultsPath: string): GrowingFacts {
  const begins = new Map<string, number>();
  const spent = new Map<string, Map<string, number>>();
  const months = new Map<string, Map<string, number>>();
  const sweeps = new Map<string, Map<string, KnownResult>>();
  /** Where the lines of a sweep begin. Those that were appended twice, because `clean` replaced the log, count once. */
  const lines = new Map<string, Map<string, number>>();
  const cells = new Map<string, KnownResult[]>();
  const keys = new Map<string, KnownResult>();
  const costs = new Map<string, number>();
  /** The cells of each configuration of a sweep that have a result. */
  const configurations = new Map<string, Set<string>>();
  /** The first result of each cell of a sweep that passed or failed. */
  const decisions = new Map<string, string>();
  /** By cells of sweeps: their runs without a result, and how many others the line of their result mentions. */
  const without = new Map<string, { runs: Set<string>; elsewhere: number }>();
  /** By inputs: the cells of sweeps whose runs without a result a reuse would hide. */
  const passedOver = new Map<string, Set<string>>();

  return {
    add(line, place) {
      begins.set(line.id, place.begin);
      const known = toKnown(line, place, resultsPath);
      entry(sweeps, line.sweep, () => new Map<string, KnownResult>()).set(line.cell, known);
      entry(lines, line.sweep, () => new Map<string, number>()).set(lineKey(line), place.begin);
      const configuration = cellKey(line.sweep, configurationOf(line.cell));
      entry(configurations, configuration, () => new Set<string>()).add(line.cell);
      const decided = isDecided(line);
      const cell = cellKey(line.sweep, line.cell);
      const isFirst = decided && (decisions.get(cell) ?? line.id) === line.id;
      if (isFirst) decisions.set(cell, line.id);
      if (!decided && endedWithoutResult(line)) {
        entry(without, cell, nothingWithout).runs.add(line.id);
        for (const inputs of inputsOfLost(line)) entry(passedOver, inputs, () => new Set<string>()).add(cell);
      }
      if (known.cached_from !== null) return;
      if (isFirst) {
        entry(without, cell, nothingWithout).elsewhere = hiddenElsewhere(line);
        for (const inputs of inputsOf(line)) passedOver.set(inputs, new Set([cell]));
      }
      // With other checks, it says nothing about later runs.
      if (isTested(line) && line.regraded_from === undefined)
        cells.set(line.cell, [...(cells.get(line.cell) ?? []), known].slice(-2));
      if (isFirst && line.cache_key !== null) keys.set(line.cache_key, known);
      const usd =
        line.regraded_from === undefined
          ? (line.cost_usd ?? line.cost_usd_at_least ?? null)
          : line.regraded_from.paid_usd;
      // By run, because a line may have been appended twice.
      if (usd !== null) {
        const ofCell = entry(spent, cell, () => new Map<string, number>());
        const ofMonth = entry(months, monthIn(line.timestamp), () => new Map<string, number>());
        ofMonth.set(line.sweep, (ofMonth.get(line.sweep) ?? 0) + usd - (ofCell.get(line.id) ?? 0));
        ofCell.set(line.id, usd);
      }
      if (line.cost_usd !== null && predictsCost(line)) {
        const who = costOwner({ scenario: line.scenario_id, agent: line.agent, model: line.model });
        costs.set(who, Math.max(line.cost_usd, costs.get(who) ?? 0));
      }
    },
    beginOf: (id) => begins.get(id),
    beginsOf: (sweep) => [...(lines.get(sweep)?.values() ?? [])],
    ofSweep: (sweep) => sweeps.get(sweep) ?? new Map<string, KnownResult>(),
    spent: (sweep, cell) =>
      dollars([...(spent.get(cellKey(sweep, cell))?.values() ?? [])].reduce((sum, usd) => sum + usd, 0)),
    spentIn: (month) => months.get(month) ?? new Map<string, number>(),
    reusable: (cacheKey) => keys.get(cacheKey) ?? null,
    knows: (inputs) => passedOver.has(inputs),
    hiddenBy({ sweep, cell, inputs, work }) {
      const cells = new Set(inputs.flatMap((one) => [...(passedOver.get(one) ?? [])]));
      // Readers of the sweep see these.
      cells.delete(cellKey(sweep, cell));
      const ofWork = work === null ? null : cellKey(work.sweep, work.cell);
      const others = [...cells].filter((one) => one !== ofWork).map((one) => without.get(one) ?? nothingWithout());
      const found = others.reduce((sum, { runs, elsewhere }) => sum + runs.size + elsewhere, 0);
      if (work === null || ofWork === null) return found;
      const { runs } = without.get(ofWork) ?? nothingWithout();
      return found + runs.size - (runs.has(work.id) ? 1 : 0) + hiddenElsewhere(work);
    },
    isDecided: (sweep, cell) => decisions.has(cellKey(sweep, cell)),
    previous: (cell, run) => cells.get(cell)?.findLast(({ id }) => id !== run) ?? null,
    besides: ({ id, sweep, cell }, run) =>
      [...(configurations.get(cellKey(sweep, configurationOf(cell))) ?? [])]
        .flatMap((other) => sweeps.get(sweep)?.get(other) ?? [])
        .filter((one) => one.id !== id && one.id !== run && one.cell !== cell && isTested(one)),
    highestCost: (of) => costs.get(costOwner(of)) ?? null,
  };
}

/** Returns the value of a key, which is made if there is none. */
function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const nothingWithout = () => ({ runs: new Set<string>(), elsewhere: 0 });

const hiddenElsewhere = ({
  errors_before = 0,
  ...line
}: Pick<ResultDigest, 'errors_before' | 'lost_runs' | 'begun_anew'>): number => errors_before + errorsWithin(line);

/** Names the inputs of a run, for `hiddenBy`. */
export const sameResult = (cacheKey: string): string => `result ${cacheKey}`;
export const sameWork = (agentKey: string): string => `work ${agentKey}`;
export const sameCell = (cell: string): string => `cell ${cell}`;
export const sameScenario = (cell: string, hash: string): string => `cell ${cell} ${hash}`;

type Inputs = Pick<ResultDigest, 'cell' | 'scenario_hash' | 'cache_key' | 'agent_key'>;

const inputsOf = ({ cell, scenario_hash, cache_key, agent_key }: Inputs): string[] => [
  ...(cache_key === null ? [] : [sameResult(cache_key)]),
  ...(agent_key === undefined ? [] : [sameWork(agent_key)]),
  ...[sameCell(cell), sameScenario(cell, scenario_hash)],
];

/** A run that was lost, or could not be prepared, has no keys. */
const inputsOfLost = (line: Inputs): string[] => {
  const keys = inputsOf(line).slice(0, -2);
  return keys.length > 0 ? keys : inputsOf(line);
};

/** Lines of cells without a result have the same id each time. */
const lineKey = ({ id, timestamp }: ResultDigest): string => JSON.stringify([id, timestamp]);

const cellKey = (sweep: string, cell: string): string => JSON.stringify([sweep, cell]);

const toKnown = (line: ResultDigest, { gatesPassed }: ResultPlace, resultsPath: string): KnownResult => ({
  id: line.id,
  sweep: line.sweep,
  cell: line.cell,
  outcome: line.outcome,
  ...(line.unchecked === true ? { unchecked: true as const } : {}),
  cost_usd: line.cost_usd,
  judge_score: line.judge_score,
  startedAt: Date.parse(line.timestamp),
  cached_from: line.cached_from,
  composite_score: line.metrics?.composite_score ?? null,
  gatesPassed,
  folder: join(resultsPath, line.results_dir ?? ''),
});
