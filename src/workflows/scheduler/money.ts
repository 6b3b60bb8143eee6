import { type Admission, admit, costOwner } from '#decide/pure';
import { dollars } from '#lib/pure';
import type { Cell } from '#model';
import type { Money, PageCell } from '#protocol';

export interface Cost {
  /** Null if the whole cost is unknown. */
  costUsd: number | null;
  /** The known part, if the whole is unknown. */
  knownUsd?: number;
}

export const noMoneySpent = (maxUsd: number): Money => ({
  maxUsd,
  spentUsd: 0,
  hasEarlier: false,
  unaffordable: 0,
  costs: {},
});

/**
 * Adds, once, the cost that all cells had before this workflow began, including cells that are read later, so that it
 * counts before the first cell is started.
 */
export const withEarlierCost = (money: Money, costUsd: number): Money =>
  money.hasEarlier ? money : { ...money, spentUsd: dollars(money.spentUsd + costUsd), hasEarlier: true };

/**
 * The estimated cost of a cell, US dollars: a limit that is enforced on its run, else the highest cost of such a run so
 * far; null if nothing is known.
 */
export function estimateOf({ costs }: Money, { cell, estimateUsd = null, limited }: PageCell): number | null {
  const dearest = costs[costOwner(cell)] ?? null;
  if (limited === true || dearest === null) return estimateUsd;
  return Math.max(dearest, estimateUsd ?? dearest);
}

/** Decides if a cell can be started. `open`: estimates of the open runs. */
export function admission(money: Money, open: readonly (number | null)[], page: PageCell): Admission {
  const { maxUsd, spentUsd } = money;
  return admit({ maxUsd, spentUsd, open }, estimateOf(money, page));
}

/**
 * Adds the known cost of a run that has ended. Only a cost that is completely known counts for the next run's estimate.
 */
export function afterRun(money: Money, cell: Cell, { costUsd, knownUsd = 0 }: Cost): Money {
  const spentUsd = dollars(money.spentUsd + (costUsd ?? knownUsd));
  if (costUsd === null) return { ...money, spentUsd };
  const owner = costOwner(cell);
  const costs = { ...money.costs, [owner]: Math.max(costUsd, money.costs[owner] ?? 0) };
  return { ...money, spentUsd, costs };
}
