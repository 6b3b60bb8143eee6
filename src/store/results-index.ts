import { join } from 'node:path';
import { dollars } from '../lib/dollars.js';
import { linesOf } from '../platform/lines.js';
import { costOwner, type CostOwner } from '../results/budget.js';
import { gateKey } from '../results/gate-key.js';
import type { ResultLine } from '../results/schema.js';
import { resultsLog, runFiles, type RunFiles } from './results-folder.js';
import { parseResult } from './results-log.js';
import { createResultsReader, type FoundResult } from './results-reader.js';

/** What is kept in memory of a finished run: enough to find it and to compare with it. */
interface KnownResult extends Pick<
  ResultLine,
  'id' | 'sweep' | 'cell' | 'outcome' | 'cost_usd' | 'judge_score' | 'cached_from'
> {
  composite_score: number | null;
  /** Names of the gates that passed. */
  gatesPassed: string[];
  files: RunFiles;
}

/** Answers about all finished runs of a results folder, without reading its log from the start each time. */
export interface ResultsIndex {
  /** The last result of each cell of a sweep. */
  ofSweep(sweep: string): ReadonlyMap<string, KnownResult>;
  /** What all runs of a cell in a sweep have cost, in US dollars, as far as it is known. */
  spent(sweep: string, cell: string): number;
  /** A result as it stands in the log; null where it does not. */
  line(id: string): ResultLine | null;
  /** The last completed run with this cache key that passed or failed. */
  reusable(cacheKey: string): KnownResult | null;
  /** The last run of the cell before `run` that passed or failed. */
  previous(cell: string, run: string): KnownResult | null;
  /** The most that a run of this scenario, agent and model has cost, in US dollars. */
  highestCost(of: CostOwner): number | null;
}

const indexes = new Map<string, ResultsIndex>();

/** The index of a results folder; one a process. */
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
  const cells = new Map<string, KnownResult[]>();
  const keys = new Map<string, KnownResult>();
  const costs = new Map<string, number>();

  const add = ({ line, begin }: FoundResult): void => {
    begins.set(line.id, begin);
    const known = toKnown(line, resultsPath);
    const sweep = sweeps.get(line.sweep) ?? new Map<string, KnownResult>();
    sweeps.set(line.sweep, sweep.set(line.cell, known));
    if (known.cached_from !== null) return;
    const decided = line.outcome === 'pass' || line.outcome === 'fail';
    if (decided) cells.set(line.cell, [...(cells.get(line.cell) ?? []), known].slice(-2));
    if (decided && line.completed === true && line.cache_key !== null) keys.set(line.cache_key, known);
    if (line.cost_usd !== null) {
      // By run: lines come again when `clean` has replaced the log.
      const cell = cellKey(line.sweep, line.cell);
      spent.set(cell, (spent.get(cell) ?? new Map<string, number>()).set(line.id, line.cost_usd));
      const who = costOwner({ scenario: line.scenario_id, agent: line.agent, model: line.model });
      costs.set(who, Math.max(line.cost_usd, costs.get(who) ?? 0));
    }
  };
  const upToDate = <T>(look: () => T): T => {
    for (const found of reader.read()) add(found);
    return look();
  };
  return {
    ofSweep: (sweep) => upToDate(() => sweeps.get(sweep) ?? new Map<string, KnownResult>()),
    spent: (sweep, cell) =>
      upToDate(() => {
        const costs = spent.get(cellKey(sweep, cell))?.values() ?? [];
        return dollars([...costs].reduce((sum, usd) => sum + usd, 0));
      }),
    line: (id) =>
      upToDate(() => {
        const begin = begins.get(id);
        return begin === undefined ? null : lineAt(log, begin, id);
      }),
    reusable: (cacheKey) => upToDate(() => keys.get(cacheKey) ?? null),
    previous: (cell, run) => upToDate(() => cells.get(cell)?.findLast(({ id }) => id !== run) ?? null),
    highestCost: (of) => upToDate(() => costs.get(costOwner(of)) ?? null),
  };
}

const cellKey = (sweep: string, cell: string): string => JSON.stringify([sweep, cell]);

/** The result in the line that begins there, if it is still that one. */
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
  cached_from: line.cached_from,
  composite_score: line.metrics?.composite_score ?? null,
  gatesPassed: (line.metrics?.details ?? []).filter(({ status }) => status === 'pass').map(gateKey),
  files: runFiles(join(resultsPath, line.results_dir ?? '')),
});
