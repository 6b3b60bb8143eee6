import type { Combined } from '../by-parameter.js';
import type { Cell } from '../records/cell.js';
import { workRunOf, type ResultLine } from '../records/result-line.js';
import { totalsOf, unfinishedCells } from '../totals.js';
import { ALPHA, type Configuration, type Side } from './document.js';
import { wilsonInterval } from '../../statistics/wilson-interval.js';

/** A finished run, with what is not in results.jsonl. */
export interface Sample extends ResultLine {
  /** What a person gave it, from 0 to 1; absent: no score. */
  human_score?: number;
}

/** A sweep as stored in the results folder. */
export interface SweepResults {
  sweep: string;
  /** The only variant that is compared; null: all of them. */
  variant: string | null;
  /** ISO 8601 UTC */
  started: string;
  status: 'open' | 'completed' | 'cancelled';
  cells: readonly Cell[];
  /** The combinations of a matrix by the names of their variants; empty if there is no matrix. */
  combinations: readonly Combined[];
  /** In the order written. Of a cell's lines, the first that passed or failed counts; if none did, the last. */
  lines: readonly Sample[];
}

/** The cells of a configuration and their results. `samples` are the runs that count on this side. */
export interface Arm {
  configuration: Configuration;
  cells: { cell: Cell; line: Sample | null }[];
  samples: Sample[];
  side: Side;
}

/** A configuration that both sweeps have. */
export interface Pair {
  base: Arm;
  head: Arm;
}

const isDecided = ({ outcome }: ResultLine): boolean => outcome === 'pass' || outcome === 'fail';

/**
 * Returns the line of each cell that counts. Only failures are run again after a result (`retry --failed`). If the last
 * result counted, repeating failures would improve a sweep.
 */
function countedLines(lines: readonly Sample[]): Map<string, Sample> {
  const counted = new Map<string, Sample>();
  for (const line of lines) {
    const known = counted.get(line.cell);
    if (known === undefined || !isDecided(known)) counted.set(line.cell, line);
  }
  return counted;
}

/** Returns results that do not count, because the cell had passed or failed before: the last one of each cell. */
export function resultsOfRetries(lines: readonly Sample[]): Sample[] {
  const counted = countedLines(lines);
  const retries = lines.filter((line) => {
    const first = counted.get(line.cell);
    return first !== undefined && first.id !== line.id && isDecided(first) && isDecided(line);
  });
  return [...new Map(retries.map((line) => [line.cell, line])).values()];
}

/** Returns the ids of all runs behind a sweep's lines, including those that do not count. */
export const runsOf = ({ lines }: SweepResults): Set<string> => new Set(lines.map(workRunOf));

const configurationKey = ({ scenario, agent, model, variant }: Configuration): string =>
  JSON.stringify([scenario, agent, model, variant]);

/**
 * Groups a sweep by configuration. Each run counts once: a result reused from the other sweep counts only there, and
 * one that both sweeps reused from a third counts in neither. Otherwise one observation would be on both sides, or
 * twice on one.
 */
export function armsOf(sweep: SweepResults, runsOfOther: ReadonlySet<string>): Map<string, Arm> {
  const lines = countedLines(sweep.lines);
  const retries = resultsOfRetries(sweep.lines);
  const groups = new Map<string, Arm['cells']>();
  for (const cell of sweep.cells) {
    const key = configurationKey(cell);
    const group = groups.get(key) ?? [];
    group.push({ cell, line: lines.get(cell.id) ?? null });
    groups.set(key, group);
  }
  return new Map(
    [...groups].flatMap(([key, cells]): [string, Arm][] => {
      const [first] = cells;
      return first === undefined ? [] : [[key, armOf(first.cell, { cells, retries }, runsOfOther)]];
    }),
  );
}

function armOf(
  { scenario, agent, model, variant }: Configuration,
  { cells, retries }: { cells: Arm['cells']; retries: readonly Sample[] },
  runsOfOther: ReadonlySet<string>,
): Arm {
  const decided = cells.flatMap(({ line }) => (line !== null && isDecided(line) ? line : []));
  const runs = new Set<string>();
  const samples = decided.filter((line) => {
    const isShared = workRunOf(line) !== line.id && runsOfOther.has(workRunOf(line));
    const isNew = !runs.has(workRunOf(line));
    runs.add(workRunOf(line));
    return isNew && !isShared;
  });
  const ids = new Set(cells.map(({ cell }) => cell.id));
  const totals = totalsOf(
    cells.flatMap(({ line }) => (line === null ? [] : { outcome: line.outcome, cached: false })),
    cells.length,
  );
  return {
    configuration: { scenario, agent, model, variant },
    cells,
    samples,
    side: sideOf(samples, {
      shared: decided.length - samples.length,
      retried: retries.filter(({ cell }) => ids.has(cell)).length,
      errored: totals.errored,
      cancelled: totals.cancelled,
      waiting: unfinishedCells(totals),
    }),
  };
}

type LeftOut = Pick<Side, 'shared' | 'retried' | 'errored' | 'cancelled' | 'waiting'>;

function sideOf(samples: readonly Sample[], leftOut: LeftOut): Side {
  const tested = samples.length;
  const passed = samples.filter(({ outcome }) => outcome === 'pass').length;
  return {
    passed,
    tested,
    rate: tested === 0 ? null : passed / tested,
    interval: wilsonInterval({ passed, tested }, { alpha: ALPHA }),
    reused: samples.filter(({ cached_from }) => cached_from !== null).length,
    ...leftOut,
  };
}

/** Adds up configurations: the runs of those that are tested, and the cells left out of all of them. */
export function sumOfSides(tested: readonly Side[], all: readonly Side[]): Side {
  const sum = (sides: readonly Side[], name: 'passed' | 'tested' | 'reused' | keyof LeftOut): number =>
    sides.reduce((total, side) => total + side[name], 0);
  const runs = sum(tested, 'tested');
  const passed = sum(tested, 'passed');
  return {
    passed,
    tested: runs,
    rate: runs === 0 ? null : passed / runs,
    interval: tested.length === 1 ? (tested[0]?.interval ?? null) : null,
    reused: sum(tested, 'reused'),
    shared: sum(all, 'shared'),
    retried: sum(all, 'retried'),
    errored: sum(all, 'errored'),
    cancelled: sum(all, 'cancelled'),
    waiting: sum(all, 'waiting'),
  };
}
