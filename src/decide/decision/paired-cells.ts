import { groupBy } from '#lib';
import { type Cell, type ResultDigest, type ResultLine, rewardOf } from '#model';
import type { BaseRun, UntilClear } from './until-clear.js';
import { endedWithoutResult, errorsWithin, isDecided, wasNeverStarted, withoutRepeats } from '../is-tested.js';

/** A run of head and what it is paired with: a cell of base or, if base has ended, the run that it has there. */
export interface CellPair {
  base: Cell | BaseRun;
  head: Cell;
}

/** Returns whether base has ended. */
export const isBaseRun = (base: CellPair['base']): base is BaseRun => 'outcome' in base;

/** A configuration compared with itself, with its pairs in the order in which they are run. */
export interface PairedConfiguration {
  scenario: string;
  agent: string;
  model: string;
  /** The variant of head. */
  variant: string;
  pairs: CellPair[];
}

/** The configurations of a sweep that runs until its verdict is clear. Cells without a partner are in none of them. */
export function pairedCells(cells: readonly Cell[], { base }: Pick<UntilClear, 'base'>): PairedConfiguration[] {
  const isHead = ({ variant }: Cell): boolean => base.kind === 'sweep' || variant !== base.variant;
  const baseCells = new Map(
    base.kind === 'sweep' ? [] : cells.flatMap((cell) => (isHead(cell) ? [] : [[pairKey(cell), cell]])),
  );
  const outcomes = new Map(base.kind === 'sweep' ? base.outcomes.map((one) => [configurationKey(one), one.runs]) : []);
  const partnerOf = (cell: Cell): CellPair['base'] | undefined => {
    if (base.kind === 'variant') return baseCells.get(pairKey(cell));
    return outcomes.get(configurationKey(cell))?.[cell.repetition - 1];
  };
  const pairs = cells.filter(isHead).flatMap((head): CellPair[] => {
    const partner = partnerOf(head);
    return partner === undefined ? [] : [{ base: partner, head }];
  });
  return groupBy(pairs, ({ head }) => configurationKey(head)).flatMap((group) =>
    group.slice(0, 1).map(({ head: { scenario, agent, model, variant } }) => ({
      scenario,
      agent,
      model,
      variant,
      pairs: [...group].sort((a, b) => a.head.repetition - b.head.repetition),
    })),
  );
}

/** The cells of a pair, in the order in which they are started: the sides take turns in being the first. */
export function cellsOfPair({ base, head }: CellPair): Cell[] {
  if (isBaseRun(base)) return [head];
  return head.repetition % 2 === 1 ? [base, head] : [head, base];
}

type Compared = Pick<Cell, 'scenario' | 'agent' | 'model' | 'variant'>;

export const configurationKey = ({ scenario, agent, model, variant }: Compared): string =>
  JSON.stringify([scenario, agent, model, variant]);

const pairKey = ({ scenario, agent, model, repetition }: Cell): string =>
  JSON.stringify([scenario, agent, model, repetition]);

/** The part of a cell's results that a decision depends on. */
export interface CellResult extends Pick<ResultLine, 'outcome' | 'cost_usd'> {
  /** The number of its runs that ended with an error, were cancelled or were lost with their hosts. */
  errors: number;
  /** Absent: it has none. */
  reward?: number;
}

/** The most runs of a cell whose runs end with errors. */
export const MAX_TRIES = 3;

type Line = Pick<
  ResultLine,
  'id' | 'cell' | 'timestamp' | 'outcome' | 'cost_usd' | 'results_dir' | 'starts' | 'lost_runs' | 'begun_anew'
> &
  Partial<Pick<ResultDigest, 'metrics'>>;

/**
 * The results of cells that have ended, by cell. `lines`: all of the sweep, in the order written. A cell whose run
 * ended with an error may have been run again: the first run that passed or failed counts, else the last. A cell that
 * was not started, because of the budget, has not ended.
 */
export function endedCells(lines: readonly Line[]): Map<string, CellResult> {
  const ended = new Map<string, CellResult>();
  for (const line of withoutRepeats(lines)) {
    const before = ended.get(line.cell);
    if (wasNeverStarted(line) || (before !== undefined && isDecided(before))) continue;
    const errors = (before?.errors ?? 0) + errorsWithin(line) + (endedWithoutResult(line) ? 1 : 0);
    const reward = rewardOf(line.metrics ?? null);
    ended.set(line.cell, {
      outcome: line.outcome,
      cost_usd: line.cost_usd,
      errors,
      ...(reward === null ? {} : { reward }),
    });
  }
  return ended;
}
