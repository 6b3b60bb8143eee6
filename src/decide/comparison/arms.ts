import { groupBy, mean } from '#lib';
import { type Cell, type ResultLine, rewardOf, workRunOf } from '#model';
import { wilsonInterval } from '#statistics';
import type { Combined } from '../by-parameter.js';
import type { Decision } from '../decision/decision.js';
import type { Start } from '../decision/question.js';
import type { BaseRun } from '../decision/until-clear.js';
import { isTested, endedWithoutResult, errorsWithin, isDecided, withoutRepeats } from '../is-tested.js';
import { totalsOf, unfinishedCells } from '../totals.js';
import type { Configuration } from './document.js';
import type { Side } from './side.js';

/** A finished run, with what is not in results.jsonl. */
export interface Sample extends ResultLine {
  /** A person's score for it, from 0 to 1; absent: no score. */
  human_score?: number;
  /** The sweep in which the work was done, and when it began; absent: that of the line. */
  ran_in?: Pick<ResultLine, 'sweep' | 'timestamp'>;
}

/** A sweep as stored in the results folder. */
export interface SweepResults {
  sweep: string;
  /** The only variant that is compared; null: all of them. */
  variant: string | null;
  /** ISO 8601 UTC */
  started: string;
  status: 'open' | 'completed' | 'cancelled';
  /** The decision, if it was to run until its verdict is clear. */
  decision?: Decision | null;
  cells: readonly Cell[];
  /** The combinations of a matrix by the names of their variants; empty if there is no matrix. */
  combinations: readonly Combined[];
  /** In the order written. Of a cell's lines, the first that passed or failed counts; if none did, the last. */
  lines: readonly Sample[];
  /** Runs of other sweeps that have the inputs of its own, and that it has not reused; absent: none. */
  others?: readonly Sample[];
  /** Sweeps of `run --until-clear` with inputs of its own, this one included; absent: none. */
  starts?: readonly Start[];
}

/** Versions of agents that ran, as a field of a document. Absent: none is known. */
export function versionsIn(samples: readonly Pick<Sample, 'agent_version'>[]): { versions?: string[] } {
  const versions = [...new Set(samples.flatMap(({ agent_version: version }) => version ?? []))].sort();
  return versions.length === 0 ? {} : { versions };
}

/** One side of a configuration. */
export interface Arm {
  configuration: Configuration;
  /** The runs that count on this side; empty for a baseline, which has only their numbers. */
  samples: Sample[];
  /** The same by repetition, with the cells that ended without a result; empty for a baseline. */
  runs: BaseRun[];
  /** The hash of the inputs of each repetition: of everything that a result depends on. */
  inputs: ReadonlyMap<number, string>;
  /** Runs of other sweeps with the same inputs. They count on no side, but somebody may have looked at them. */
  others: Sample[];
  side: Side;
}

/** A configuration that both sweeps have. */
export interface Pair {
  base: Arm;
  head: Arm;
}

interface Counted {
  line: Sample;
  /** Runs of the cell before this one that ended without a result. */
  before: number;
}

/**
 * Returns the line of each cell that counts. Only failures are run again after a result (`retry --failed`). If the last
 * result counted, repeating failures would improve a sweep.
 */
function countedLines(lines: readonly Sample[]): Map<string, Counted> {
  const counted = new Map<string, Counted>();
  for (const line of withoutRepeats(lines)) {
    const known = counted.get(line.cell);
    if (known !== undefined && isDecided(known.line)) continue;
    const redone = known !== undefined && endedWithoutResult(known.line) ? 1 : 0;
    counted.set(line.cell, { line, before: (known?.before ?? 0) + redone + errorsWithin(line) });
  }
  return counted;
}

/** Returns results that do not count, because the cell had passed or failed before: the last one of each cell. */
export function resultsOfRetries(lines: readonly Sample[]): Sample[] {
  const counted = countedLines(lines);
  const retries = lines.filter((line) => {
    const first = counted.get(line.cell)?.line;
    return first !== undefined && first.id !== line.id && isDecided(first) && isDecided(line);
  });
  return [...new Map(retries.map((line) => [line.cell, line])).values()];
}

/** The beginning of a cache key identifies inputs as well as the whole key. */
const shortKey = (cacheKey: string): string => cacheKey.slice(0, 12);

export const configurationKey = ({ scenario, agent, model, variant }: Configuration): string =>
  JSON.stringify([scenario, agent, model, variant]);

/** True if the other side has the run of a line. */
type IsShared = (line: Sample) => boolean;

/**
 * A result reused from the other sweep counts only there, and one that both sweeps reused from a third counts in
 * neither. Otherwise one observation would be on both sides.
 */
export const isSharedWith = (other: SweepResults): IsShared => {
  const runs = new Set(other.lines.map(workRunOf));
  return (line) => workRunOf(line) !== line.id && runs.has(workRunOf(line));
};

interface EndedCell {
  cell: Cell;
  /** Null: it has no result yet. */
  line: Sample | null;
}

/** Groups a sweep by configuration. Each run counts once. */
export function armsOf(sweep: SweepResults, isShared: IsShared, options: { alpha: number }): Map<string, Arm> {
  const counted = countedLines(sweep.lines);
  const ids = new Set(sweep.cells.map(({ id }) => id));
  const inDoubt = linesAfterErrors([...counted.values()].filter(({ line }) => ids.has(line.cell)));
  const retries = resultsOfRetries(sweep.lines);
  return new Map(
    groupBy(sweep.cells, configurationKey).flatMap((group): [string, Arm][] => {
      const [first] = group;
      if (first === undefined) return [];
      const cells = group.map((cell): EndedCell => ({ cell, line: counted.get(cell.id)?.line ?? null }));
      const { others = [] } = sweep;
      return [[configurationKey(first), armOf(first, { cells, retries, inDoubt, isShared, others }, options)]];
    }),
  );
}

/**
 * Returns the lines that passed or failed only after runs of their cells had ended without a result. Nobody knows what
 * these would have shown, so they are in doubt. If all cells ended so, equally often, all have been run anew and none
 * is in doubt. For the same reason, runs in other sweeps are asked for only if results of these were reused.
 */
function linesAfterErrors(counted: readonly Counted[]): Set<Sample> {
  const decided = counted.filter(({ line }) => isDecided(line));
  const isAnyReused = decided.some(({ line }) => workRunOf(line) !== line.id);
  const errors = ({ line, before }: Counted): number => before + (isAnyReused ? (line.errors_before ?? 0) : 0);
  const ofEach = Math.min(...decided.map(errors));
  return new Set(decided.filter((one) => errors(one) > ofEach).map(({ line }) => line));
}

interface ArmCells {
  cells: readonly EndedCell[];
  retries: readonly Sample[];
  inDoubt: ReadonlySet<Sample>;
  isShared: IsShared;
  others: readonly Sample[];
}

function armOf(
  { scenario, agent, model, variant }: Configuration,
  { cells, retries, inDoubt, isShared, others }: ArmCells,
  options: { alpha: number },
): Arm {
  const decided = cells.flatMap(({ line }) => (line !== null && isTested(line) ? line : []));
  const runs = new Set<string>();
  const samples = decided.filter((line) => {
    const isNew = !runs.has(workRunOf(line));
    runs.add(workRunOf(line));
    return isNew && !isShared(line);
  });
  const ids = new Set(cells.map(({ cell }) => cell.id));
  const totals = totalsOf(
    cells.flatMap(({ line }) => (line === null ? [] : { outcome: line.outcome, cached: false })),
    cells.length,
  );
  const afterErrors = samples.filter((line) => inDoubt.has(line));
  const inputs = new Map(
    cells.flatMap(({ cell, line }) =>
      line?.cache_key == null ? [] : [[cell.repetition, shortKey(line.cache_key)] as const],
    ),
  );
  const keys = new Set(inputs.values());
  return {
    configuration: { scenario, agent, model, variant },
    samples,
    runs: runsOf(cells, new Set(samples), inDoubt),
    inputs,
    others: others.filter(({ cache_key: key }) => key !== null && keys.has(shortKey(key))),
    side: sideOf(
      { passed: passedOf(samples), tested: samples.length },
      {
        flaky: isFlaky(samples) ? 1 : 0,
        reused: samples.filter(({ cached_from }) => cached_from !== null).length,
        shared: decided.length - samples.length,
        retried: retries.filter(({ cell }) => ids.has(cell)).length,
        after_errors: afterErrors.length,
        passed_after_errors: passedOf(afterErrors),
        errored: totals.errored,
        cancelled: totals.cancelled,
        waiting: unfinishedCells(totals),
      },
      options,
    ),
  };
}

/** A cell that was never started is left out: it hides nothing. */
const runsOf = (cells: readonly EndedCell[], samples: ReadonlySet<Sample>, inDoubt: ReadonlySet<Sample>): BaseRun[] =>
  [...cells]
    .sort((a, b) => a.cell.repetition - b.cell.repetition)
    .flatMap(({ line }): BaseRun[] => {
      if (line === null) return [];
      if (endedWithoutResult(line)) return [{ outcome: null, after_errors: false }];
      const outcome = line.outcome === 'pass' ? 'pass' : 'fail';
      const reward = rewardOf(line.metrics);
      return samples.has(line)
        ? [{ outcome, after_errors: inDoubt.has(line), ...(reward === null ? {} : { reward }) }]
        : [];
    });

const passedOf = (lines: readonly Sample[]): number => lines.filter(({ outcome }) => outcome === 'pass').length;

/** True if runs of the same build have passed and failed. */
const isFlaky = (samples: readonly Sample[]): boolean =>
  groupBy(samples, ({ target_fingerprint }) => target_fingerprint ?? '').some(
    (runs) => new Set(runs.map(({ outcome }) => outcome)).size > 1,
  );

type Counts = Omit<Side, 'passed' | 'tested' | 'rate' | 'interval'>;

/** Returns a side of a configuration: its numbers, and what follows from them. */
export const sideOf = (
  { passed, tested }: Pick<Side, 'passed' | 'tested'>,
  counts: Counts,
  options: { alpha: number },
): Side => ({
  passed,
  tested,
  rate: tested === 0 ? null : passed / tested,
  interval: wilsonInterval({ passed, tested }, options),
  ...counts,
});

/** Adds up configurations: the runs of those that are tested, and the cells left out of all of them. */
export function sumOfSides(tested: readonly Side[], all: readonly Side[]): Side {
  const sum = (sides: readonly Side[], name: 'passed' | 'tested' | keyof Counts): number =>
    sides.reduce((total, side) => total + side[name], 0);
  return {
    passed: sum(tested, 'passed'),
    tested: sum(tested, 'tested'),
    rate: mean(tested.map(({ rate }) => rate)),
    interval: tested.length === 1 ? (tested[0]?.interval ?? null) : null,
    flaky: sum(tested, 'flaky'),
    reused: sum(tested, 'reused'),
    shared: sum(all, 'shared'),
    retried: sum(all, 'retried'),
    after_errors: sum(tested, 'after_errors'),
    passed_after_errors: sum(tested, 'passed_after_errors'),
    errored: sum(all, 'errored'),
    cancelled: sum(all, 'cancelled'),
    waiting: sum(all, 'waiting'),
  };
}
