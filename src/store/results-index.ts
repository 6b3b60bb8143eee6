import { join } from 'node:path';
import { dollars } from '../lib/format/dollars.js';
import { linesOf } from '../platform/fs/lines.js';
import { costOwner, predictsCost, type CostOwner } from '../results/budget.js';
import { gateKey } from '../results/gate-key.js';
import { configurationOf } from '../results/records/cell.js';
import type { ResultLine } from '../results/records/result-line.js';
import { resultsLog } from './results-folder.js';
import { parseResult } from './results-log.js';
import { createResultsReader, type FoundResult } from './results-reader.js';

/** What is kept in memory about a finished run: enough to find it and to compare with it. */
interface KnownResult extends Pick<
  ResultLine,
  'id' | 'sweep' | 'cell' | 'outcome' | 'cost_usd' | 'judge_score' | 'cached_from'
> {
  composite_score: number | null;
  /** When it was started, ms since the epoch. */
  startedAt: number;
  /** Names of the gates that passed. */
  gatesPassed: string[];
  /** Absolute path of the run's folder. */
  folder: string;
}

/** Answers questions about all finished runs in a results folder without reading the log from the start each time. */
export interface ResultsIndex {
  /** The last result of each cell of a sweep. */
  ofSweep(sweep: string): ReadonlyMap<string, KnownResult>;
  /** Known cost of all runs of a cell in a sweep, US dollars. */
  spent(sweep: string, cell: string): number;
  /** All results of a sweep in the order written, read from the log. @throws Error if the log is replaced in the meantime */
  linesOfSweep(sweep: string): ResultLine[];
  /** A result, read from the log; null if it is not there. */
  line(id: string): ResultLine | null;
  /**
   * The last run with this cache key that passed or failed, whether its agent completed or not: if only some kinds of
   * failure were run again, a cell would pass sooner or later. For the same reason, runs that repeat a result of their
   * cell in their sweep (`retry --failed`) do not count.
   */
  reusable(cacheKey: string): KnownResult | null;
  /** Whether a cell of a sweep has ever passed or failed, whatever came later. */
  isDecided(sweep: string, cell: string): boolean;
  /** The last run of the cell before `run` that passed or failed. */
  previous(cell: string, run: string): KnownResult | null;
  /** The other results in a result's sweep that have its configuration, and passed or failed. */
  besides(result: KnownResult, run: string): KnownResult[];
  /** The highest cost of a run of this scenario, agent and model, US dollars; null if unknown. */
  highestCost(of: CostOwner): number | null;
}

const indexes = new Map<string, ResultsIndex>();

/** Returns the index of a results folder; there is one per process. */
export function resultsIndex(resultsPath: string): ResultsIndex {
  const index = indexes.get(resultsPath) ?? createResultsIndex(resultsPath);
  indexes.set(resultsPath, index);
  return index;
}

export function createResultsIndex(resultsPath: string): ResultsIndex {
  const log = resultsLog(resultsPath);
  const reader = createResultsReader(log);
  const begins = new Map<string, number>();
  const spent = new Map<string, Map<string, number>>();
  const sweeps = new Map<string, Map<string, KnownResult>>();
  /** Where the lines of a sweep begin. Those that are read again after `clean` has replaced the log count once. */
  const lines = new Map<string, Map<string, number>>();
  const cells = new Map<string, KnownResult[]>();
  const keys = new Map<string, KnownResult>();
  const costs = new Map<string, number>();
  /** The cells of each configuration of a sweep that have a result. */
  const configurations = new Map<string, Set<string>>();
  /** The first result of each cell of a sweep that passed or failed. */
  const decisions = new Map<string, string>();

  const add = ({ line, begin }: FoundResult): void => {
    begins.set(line.id, begin);
    const known = toKnown(line, resultsPath);
    const sweep = sweeps.get(line.sweep) ?? new Map<string, KnownResult>();
    sweeps.set(line.sweep, sweep.set(line.cell, known));
    lines.set(line.sweep, (lines.get(line.sweep) ?? new Map<string, number>()).set(lineKey(line), begin));
    const configuration = cellKey(line.sweep, configurationOf(line.cell));
    configurations.set(
      configuration,
      (configurations.get(configuration) ?? new Set<string>()).add(line.cell),
    );
    const decided = isDecided(line);
    const cell = cellKey(line.sweep, line.cell);
    const isFirst = decided && (decisions.get(cell) ?? line.id) === line.id;
    if (isFirst) decisions.set(cell, line.id);
    if (known.cached_from !== null) return;
    // With other checks, it says nothing about later runs.
    if (decided && line.regraded_from === undefined)
      cells.set(line.cell, [...(cells.get(line.cell) ?? []), known].slice(-2));
    if (isFirst && line.cache_key !== null) keys.set(line.cache_key, known);
    const usd =
      line.regraded_from === undefined
        ? (line.cost_usd ?? line.cost_usd_at_least ?? null)
        : line.regraded_from.paid_usd;
    if (usd !== null) {
      // By run, because lines are read again after `clean` has replaced the log.
      spent.set(cell, (spent.get(cell) ?? new Map<string, number>()).set(line.id, usd));
    }
    if (line.cost_usd !== null && predictsCost(line)) {
      const who = costOwner({ scenario: line.scenario_id, agent: line.agent, model: line.model });
      costs.set(who, Math.max(line.cost_usd, costs.get(who) ?? 0));
    }
  };
  const upToDate = <T>(look: () => T): T => {
    for (const found of reader.read()) add(found);
    return look();
  };
  const read = (sweep: string, wanted: readonly number[]): ResultLine[] => {
    const found = linesAt(log, wanted).filter((line) => line.sweep === sweep);
    if (found.length !== wanted.length) throw new Error(`${log} was replaced while it was read`);
    return found;
  };
  return {
    ofSweep: (sweep) => upToDate(() => sweeps.get(sweep) ?? new Map<string, KnownResult>()),
    spent: (sweep, cell) =>
      upToDate(() => {
        const costs = spent.get(cellKey(sweep, cell))?.values() ?? [];
        return dollars([...costs].reduce((sum, usd) => sum + usd, 0));
      }),
    linesOfSweep: (sweep) => upToDate(() => read(sweep, [...(lines.get(sweep)?.values() ?? [])])),
    line: (id) =>
      upToDate(() => {
        const begin = begins.get(id);
        return begin === undefined ? null : lineAt(log, begin, id);
      }),
    reusable: (cacheKey) => upToDate(() => keys.get(cacheKey) ?? null),
    isDecided: (sweep, cell) => upToDate(() => decisions.has(cellKey(sweep, cell))),
    previous: (cell, run) => upToDate(() => cells.get(cell)?.findLast(({ id }) => id !== run) ?? null),
    besides: ({ id, sweep, cell }, run) =>
      upToDate(() =>
        [...(configurations.get(cellKey(sweep, configurationOf(cell))) ?? [])]
          .flatMap((other) => sweeps.get(sweep)?.get(other) ?? [])
          .filter((one) => one.id !== id && one.id !== run && one.cell !== cell && isDecided(one)),
      ),
    highestCost: (of) => upToDate(() => costs.get(costOwner(of)) ?? null),
  };
}

const isDecided = ({ outcome }: Pick<ResultLine, 'outcome'>): boolean =>
  outcome === 'pass' || outcome === 'fail';

/** The lines of cells that left no result have the same id, each time. */
const lineKey = ({ id, timestamp }: ResultLine): string => JSON.stringify([id, timestamp]);

const cellKey = (sweep: string, cell: string): string => JSON.stringify([sweep, cell]);

/** Returns the results in the lines that begin at these positions. */
function linesAt(log: string, begins: readonly number[]): ResultLine[] {
  const found: ResultLine[] = [];
  if (begins.length === 0) return found;
  const wanted = new Set(begins);
  let begin = begins.reduce((least, one) => Math.min(least, one));
  for (const { text, end } of linesOf(log, Infinity, begin)) {
    const result = wanted.has(begin) ? parseResult(text) : '';
    if (typeof result !== 'string') found.push(result);
    begin = end;
  }
  return found;
}

/** Returns the result in the line that begins at this position; null if it is not the one with this id. */
function lineAt(log: string, begin: number, id: string): ResultLine | null {
  for (const { text } of linesOf(log, Infinity, begin)) {
    const result = parseResult(text);
    return typeof result !== 'string' && result.id === id ? result : null;
  }
  return null;
}

const toKnown = (line: ResultLine, resultsPath: string): KnownResult => ({
  id: line.id,
  sweep: line.sweep,
  cell: line.cell,
  outcome: line.outcome,
  cost_usd: line.cost_usd,
  judge_score: line.judge_score,
  startedAt: Date.parse(line.timestamp),
  cached_from: line.cached_from,
  composite_score: line.metrics?.composite_score ?? null,
  gatesPassed: (line.metrics?.details ?? []).filter(({ status }) => status === 'pass').map(gateKey),
  folder: join(resultsPath, line.results_dir ?? ''),
});
