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

/** Groups items by key. Groups are in the order of their first items. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Returns the first item of each list, then the second of each, and so on. Lists that have ended are skipped. */
function takeTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  ).flat();
}
