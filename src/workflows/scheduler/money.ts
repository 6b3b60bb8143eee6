import { dollars } from '../../lib/format/dollars.js';
import { admit, costOwner, type Admission } from '../../results/budget.js';
import type { Cell } from '../../results/records/cell.js';
import type { CellPage, Money, PageCell } from '../protocol.js';

/** What a run cost. */
export interface Cost {
  /** null where it is not known as a whole. */
  costUsd: number | null;
  /** The part that is known, where the whole is not. */
  knownUsd?: number;
}

export const noMoneySpent = (maxUsd: number): Money => ({ maxUsd, spentUsd: 0, unaffordable: 0, costs: {} });

/** With the known costs of runs that ended before this sweep's workflow began. */
export const withEarlierCost = (money: Money, costUsd: number | null | undefined): Money => ({
  ...money,
  spentUsd: dollars(money.spentUsd + (costUsd ?? 0)),
});

/**
 * The same of a page. The first one has the costs of all cells, also of those that are read later: they are spent before the
 * first cell is started. Pages of an older build have only those of their own cells.
 */
export function withEarlierCosts(money: Money, { cells, earlierUsd }: CellPage): Money {
  if (money.hasEarlier === true) return money;
  return earlierUsd === undefined
    ? cells.reduce((sum, { costUsd }) => withEarlierCost(sum, costUsd), money)
    : { ...withEarlierCost(money, earlierUsd), hasEarlier: true };
}

/** What a cell may cost: a limit that its run is held to, else the dearest run of its kind; null where nothing is known. */
export function estimateOf({ costs }: Money, { cell, estimateUsd = null, limited }: PageCell): number | null {
  const dearest = costs[costOwner(cell)] ?? null;
  if (limited === true || dearest === null) return estimateUsd;
  return Math.max(dearest, estimateUsd ?? dearest);
}

/** Whether a cell can be started; `open`: estimates of the runs that have not ended. */
export const admission = (money: Money, open: readonly (number | null)[], page: PageCell): Admission =>
  admit({ maxUsd: money.maxUsd, spentUsd: money.spentUsd, open }, estimateOf(money, page));

/** After a run: what is known of its cost is spent; only a cost known as a whole tells what the next run may cost. */
export function afterRun(money: Money, cell: Cell, { costUsd, knownUsd = 0 }: Cost): Money {
  const spentUsd = dollars(money.spentUsd + (costUsd ?? knownUsd));
  if (costUsd === null) return { ...money, spentUsd };
  const owner = costOwner(cell);
  const costs = { ...money.costs, [owner]: Math.max(costUsd, money.costs[owner] ?? 0) };
  return { ...money, spentUsd, costs };
}
