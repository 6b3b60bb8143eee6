import { groupBy } from '../lib/group-by.js';
import type { Cell } from './records/cell.js';

/**
 * Returns the positions of the cells in the order in which a sweep reads them. Agents take turns, and so do the models
 * of each agent. Cells of one agent and model keep the order of the plan. So every page has cells of all agents.
 */
export function turnOrder(cells: readonly Pick<Cell, 'agent' | 'model'>[]): number[] {
  const positions = cells.map((_, position) => position);
  const byAgent = groupBy(positions, (position) => cells[position]?.agent ?? '');
  return takeTurns(
    byAgent.map((group) => takeTurns(groupBy(group, (position) => cells[position]?.model ?? ''))),
  );
}

/** Returns the first item of each list, then the second of each, and so on. Lists that have ended are skipped. */
function takeTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  ).flat();
}
