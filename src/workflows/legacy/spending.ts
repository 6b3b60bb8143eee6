import type { Admission } from '../../results/budget.js';
import type { Cell } from '../../results/records/cell.js';
import type { PageCell, SpendingCarried } from '../protocol.js';
import { admission, afterRun, estimateOf, noMoneySpent, withEarlierCost } from '../scheduler/money.js';

/** Keeps a sweep within its budget; without one, every cell may start. */
export interface Spending {
  /** Of runs that had ended before. */
  add(costUsd: number | null | undefined): void;
  admission(page: PageCell): Admission;
  start(page: PageCell): void;
  /** `knownUsd` is what is known of a cost that is not known as a whole: spent, and no measure for the next run. */
  end(cell: Cell, costUsd: number | null, knownUsd?: number): void;
  /** A cell that was not started for want of money. */
  leaveOut(): void;
  /** What Temporal's UI and the next history are told; nothing where there is no budget. */
  read(): { maxUsd: number; carried: SpendingCarried } | null;
}

/** Follows what a sweep spends; `carried` is what its history before this one had come to. */
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
