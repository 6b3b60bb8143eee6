import { groupBy, inTurns } from '#lib';
import type { Cell } from '#model';

/**
 * Returns the positions of the cells in the order in which a sweep reads them. Agents take turns, and so do the models
 * of each agent. Cells of one agent and model keep the order of the plan. So every page has cells of all agents.
 */
export function turnOrder(cells: readonly Pick<Cell, 'agent' | 'model'>[]): number[] {
  const positions = cells.map((_, position) => position);
  const byAgent = groupBy(positions, (position) => cells[position]?.agent ?? '');
  return inTurns(byAgent.map((group) => inTurns(groupBy(group, (position) => cells[position]?.model ?? ''))));
}
