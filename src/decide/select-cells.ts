import { groupBy, inTurns } from '#lib';
import type { Cell } from '#model';
import type { SweepCell, SweepDocument } from './documents/sweep-document.js';
import { paidCost, totalsOf } from './totals.js';

/** The cells of a sweep to show. An empty list selects all. */
export interface CellFilter {
  /** Only cells that have ended without passing, which `retry --failed` would run again. */
  failed: boolean;
  scenarios: readonly string[];
  agents: readonly string[];
  models: readonly string[];
  variants: readonly string[];
  /** Labels of human reviews: cells that have one of them. */
  labels: readonly string[];
}

/** The names by which cells are selected: the filter's list, and the cell's field. */
export const NAMED = [
  ['scenarios', 'scenario'],
  ['agents', 'agent'],
  ['models', 'model'],
  ['variants', 'variant'],
] as const;

/** True if the filter leaves out any cell of some sweep. */
export const isFilter = (filter: CellFilter): boolean =>
  filter.failed || filter.labels.length > 0 || NAMED.some(([list]) => filter[list].length > 0);

const isSelected = (cell: SweepCell, filter: CellFilter): boolean =>
  (!filter.failed || (cell.outcome !== null && cell.outcome !== 'pass')) &&
  (filter.labels.length === 0 || filter.labels.some((label) => cell.human?.labels?.includes(label) === true)) &&
  NAMED.every(([list, field]) => filter[list].length === 0 || filter[list].includes(cell[field]));

/**
 * Returns a sweep with only some of its cells. Totals and cost are of these. Results by parameter are left out, because
 * they would be rates of a selection.
 */
export function selectCells(document: SweepDocument, filter: CellFilter): SweepDocument {
  if (!isFilter(filter)) return document;
  const selected = { ...document };
  delete selected.parameters;
  const cells = document.cells.filter((cell) => isSelected(cell, filter));
  return {
    ...selected,
    totals: totalsOf(cells),
    cost_usd: paidCost(cells).usd,
    cells,
    cells_of_sweep: document.cells.length,
  };
}

/**
 * Returns the positions of the cells in the order in which a sweep reads them. Agents take turns, and so do the models
 * of each agent. Cells of one agent and model keep the order of the plan. So every page has cells of all agents.
 */
export function turnOrder(cells: readonly Pick<Cell, 'agent' | 'model'>[]): number[] {
  const positions = cells.map((_, position) => position);
  const byAgent = groupBy(positions, (position) => cells[position]?.agent ?? '');
  return inTurns(byAgent.map((group) => inTurns(groupBy(group, (position) => cells[position]?.model ?? ''))));
}
