import type { Admission } from '../../results/budget.js';
import type { Cell } from '../../results/records/cell.js';
import type { PageCell, SpendingCarried } from '../protocol.js';
import { admission, afterRun, estimateOf, noMoneySpent, withEarlierCost } from '../scheduler/money.js';

/** Keeps a sweep within its budget. Without a budget, every cell may start. */
export interface Spending {
  /** Adds the cost of a run that had ended before. */
  add(costUsd: number | null | undefined): void;
  admission(page: PageCell): Admission;
  start(page: PageCell): void;
  /** `knownUsd` is the known part of a cost that is not completely known. It counts as spent, but not for estimates. */
  end(cell: Cell, costUsd: number | null, knownUsd?: number): void;
  /** Counts a cell that was not started because the budget had no room for it. */
  leaveOut(): void;
  /** What Temporal's UI shows and the next history gets; null if there is no budget. */
  read(): { maxUsd: number; carried: SpendingCarried } | null;
}

/** Tracks what a sweep spends. `carried`: the state of the history before. */
export function trackSpending(maxUsd: number | undefined, carried?: SpendingCarried): Spending {
  let money = { ...noMoneySpent(maxUsd ?? Infinity), ...carried };
  const open = new Map<string, number | null>();
  return {
    add: (costUsd) => void (money = withEarlierCost(money, costUsd)),
    admission: (page) => (maxUsd === undefined ? 'start' : admission(money, [...open.values()], page)),
    start: (page) => void open.set(page.cell.id, estimateOf(money, page)),
    end(cell, costUsd, knownUsd) {
      open.delete(cell.id);
      money = afterRun(money, cell, { costUsd, ...(knownUsd === undefined ? {} : { knownUsd }) });
    },
    leaveOut: () => void (money = { ...money, unaffordable: money.unaffordable + 1 }),
    read() {
      const { spentUsd, unaffordable, costs } = money;
      return maxUsd === undefined
        ? null
        : { maxUsd, carried: { spentUsd, unaffordable, costs: { ...costs } } };
    },
  };
}
