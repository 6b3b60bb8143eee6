import { doneAgainText, paidCost, type SweepCell, type SweepDocument, unfinishedCells } from '#decide';
import { formatCost } from '#lib';
import { type Cell, scenarioLabel } from '#model';
import { paidText } from '../blocks/terminal.js';
import { hasVariants } from './matrix.js';

/** Returns the columns that distinguish the cells of a sweep: variant and repetition only if they differ. */
export function cellColumns(cells: readonly SweepCell[]): { heading: string; of: (cell: SweepCell) => string }[] {
  const repeated = cells.some((cell) => cell.repetition > 1);
  return [
    { heading: 'Scenario', of: ({ scenario }) => scenario },
    ...(hasVariants(cells) ? [{ heading: 'Variant', of: ({ variant }: SweepCell) => variant }] : []),
    { heading: 'Agent', of: ({ agent, model }) => `${agent}/${model}` },
    ...(repeated ? [{ heading: 'Run', of: ({ repetition }: SweepCell) => `#${repetition}` }] : []),
  ];
}

/** Returns a function that names a cell, in the parts that distinguish it from the other cells of its sweep. */
export function cellNamer(cells: readonly SweepCell[]): (cell: SweepCell) => string[] {
  const columns = cellColumns(cells);
  return (cell) => columns.map(({ of }) => of(cell));
}

/** True if the sweep has not ended, so results may be added. */
export const isOpen = ({ status }: SweepDocument): boolean => status === 'running' || status === 'paused';

/** Formats totals: "8 cells: 6 passed, 2 failed, cost $0.12 of $5.00". */
export function totalsText(document: SweepDocument): string {
  const again = doneAgainText(document.cells);
  return [
    countsText(document),
    `cost ${totalCost(document.cells)}${document.max_usd === null ? '' : ` of ${formatCost(document.max_usd)}`}`,
    ...(again === null ? [] : [again]),
  ].join(', ');
}

function countsText({ status, totals: all, cells_of_sweep: whole }: SweepDocument): string {
  const counts: [number, string][] = [
    [all.passed, 'passed'],
    [all.failed, 'failed'],
    [all.errored, all.errored === 1 ? 'error' : 'errors'],
    [all.cancelled, 'cancelled'],
    [unfinishedCells(all), 'not finished'],
    [all.cached, 'cached'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const of = whole === undefined ? '' : ` of ${whole}`;
  const heading = `${status === 'completed' ? '' : `${status}, `}${all.cells}${of} ${(whole ?? all.cells) === 1 ? 'cell' : 'cells'}`;
  return parts.length === 0 ? heading : `${heading}: ${parts.join(', ')}`;
}

/** Formats what a sweep spent. Reused results cost nothing; with unknown costs, the sum is a lower bound. */
function totalCost(cells: readonly SweepCell[]): string {
  const paid = paidCost(cells);
  // Cells that cost nothing say nothing about the others.
  if (paid.usd === 0 && paid.unknown > 0) return 'n/a';
  return paid.usd === null || paid.unknown === 0
    ? paidText(paid)
    : `at least ${formatCost(paid.usd)} (n/a for ${paid.unknown})`;
}

type CellParts = Omit<Cell, 'id'>;

/**
 * Names cells by the parts in which they differ. `about` has the other parts. A single cell is named by scenario and
 * agent.
 */
export function cellNames(cells: readonly CellParts[]): { nameOf: (cell: CellParts) => string[]; about: string } {
  const parts: ((cell: CellParts) => string)[] = [
    scenarioLabel,
    ({ agent, model }) => `${agent}/${model}`,
    ...(cells.some(({ repetition }) => repetition > 1) ? [({ repetition }: CellParts) => `#${repetition}`] : []),
  ];
  const differing = parts.filter((part) => new Set(cells.map(part)).size > 1);
  const [first] = cells;
  const [used, common] =
    differing.length === 0 ? [parts, []] : [differing, parts.filter((part) => !differing.includes(part))];
  return {
    nameOf: (cell) => used.map((part) => part(cell)),
    about: first === undefined ? '' : common.map((part) => part(first)).join(' '),
  };
}
