import { formatCost } from '../lib/format/dollars.js';
import type { SweepCell, SweepDocument } from '../results/records/sweep-document.js';
import { paidCost, waitingIn } from '../results/totals.js';
import { hasVariants } from './matrix.js';
import { paidText } from './terminal.js';

/** What tells the cells of a sweep apart: variant and repetition only where they differ. */
export function cellColumns(
  cells: readonly SweepCell[],
): { heading: string; of: (cell: SweepCell) => string }[] {
  const repeated = cells.some((cell) => cell.repetition > 1);
  return [
    { heading: 'Scenario', of: ({ scenario }) => scenario },
    ...(hasVariants(cells) ? [{ heading: 'Variant', of: ({ variant }: SweepCell) => variant }] : []),
    { heading: 'Agent', of: ({ agent, model }) => `${agent}/${model}` },
    ...(repeated ? [{ heading: 'Run', of: ({ repetition }: SweepCell) => `#${repetition}` }] : []),
  ];
}

/** The name of a cell, in parts that tell it apart from the others of its sweep. */
export function cellNamer(cells: readonly SweepCell[]): (cell: SweepCell) => string[] {
  const columns = cellColumns(cells);
  return (cell) => columns.map(({ of }) => of(cell));
}

/** The sweep has not ended: more may become known. */
export const isOpen = ({ status }: SweepDocument): boolean => status === 'running' || status === 'paused';

/** "8 cells: 6 passed, 2 failed, cost $0.12 of $5.00". */
export const totalsText = (document: SweepDocument): string =>
  `${countsText(document)}, cost ${totalCost(document.cells)}${document.max_usd === null ? '' : ` of ${formatCost(document.max_usd)}`}`;

function countsText({ status, totals: all }: SweepDocument): string {
  const counts: [number, string][] = [
    [all.passed, 'passed'],
    [all.failed, 'failed'],
    [all.errored, all.errored === 1 ? 'error' : 'errors'],
    [all.cancelled, 'cancelled'],
    [waitingIn(all), 'not finished'],
    [all.cached, 'cached'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const heading = `${status === 'completed' ? '' : `${status}, `}${all.cells} ${all.cells === 1 ? 'cell' : 'cells'}`;
  return parts.length === 0 ? heading : `${heading}: ${parts.join(', ')}`;
}

/** What a sweep spent: reused results cost nothing now, and a sum of unknown amounts is only a lower bound. */
export function totalCost(cells: readonly SweepCell[]): string {
  const paid = paidCost(cells);
  return paid.usd === null || paid.unknown === 0
    ? paidText(paid)
    : `at least ${formatCost(paid.usd)} (n/a for ${paid.unknown})`;
}
