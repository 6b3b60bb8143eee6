import { groupBy } from '#lib';
import type { Cell } from '#model';
import type { BaseRun, UntilClear } from './until-clear.js';

/** A run of head and what it is paired with: a cell of base or, if base has ended, the run that it has there. */
export interface CellPair {
  base: Cell | BaseRun;
  head: Cell;
}

/** Returns whether base has ended. */
export const isBaseRun = (base: CellPair['base']): base is BaseRun => 'outcome' in base;

/** What is compared with itself, with its pairs in the order in which they are run. */
export interface PairedConfiguration {
  scenario: string;
  agent: string;
  model: string;
  /** The variant of head. */
  variant: string;
  pairs: CellPair[];
}

/** The configurations of a sweep that runs until its verdict is clear. Cells without a partner are in none of them. */
export function pairedCells(
  cells: readonly Cell[],
  { base }: Pick<UntilClear, 'base'>,
): PairedConfiguration[] {
  const isHead = ({ variant }: Cell): boolean => base.kind === 'sweep' || variant !== base.variant;
  const baseCells = new Map(
    base.kind === 'sweep' ? [] : cells.flatMap((cell) => (isHead(cell) ? [] : [[pairKey(cell), cell]])),
  );
  const outcomes = new Map(
    base.kind === 'sweep' ? base.outcomes.map((one) => [configurationKey(one), one.runs]) : [],
  );
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
      ...{ scenario, agent, model, variant },
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
