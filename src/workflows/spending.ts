import { dollars } from '../lib/dollars.js';
import { admit, costOwner, type Admission } from '../results/budget.js';
import type { Cell } from '../results/cell.js';
import type { PageCell, SpendingCarried } from './protocol.js';

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
  let spentUsd = carried?.spentUsd ?? 0;
  let unaffordable = carried?.unaffordable ?? 0;
  const highest = new Map(Object.entries(carried?.costs ?? {}));
  const open = new Map<string, number | null>();
  // What the plan promises wins; else the dearest run of the same kind speaks for the next one.
  const estimate = ({ cell, estimateUsd, limited }: PageCell): number | null =>
    limited === true
      ? (estimateUsd ?? null)
      : maxOf(estimateUsd ?? null, highest.get(costOwner(cell)) ?? null);
  return {
    add: (costUsd) => void (spentUsd = dollars(spentUsd + (costUsd ?? 0))),
    admission: (page) =>
      maxUsd === undefined ? 'start' : admit({ maxUsd, spentUsd, open: [...open.values()] }, estimate(page)),
    start: (page) => void open.set(page.cell.id, estimate(page)),
    end(cell, costUsd, knownUsd = 0) {
      open.delete(cell.id);
      spentUsd = dollars(spentUsd + (costUsd ?? knownUsd));
      if (costUsd === null) return;
      highest.set(costOwner(cell), Math.max(costUsd, highest.get(costOwner(cell)) ?? 0));
    },
    leaveOut: () => void (unaffordable += 1),
    read: () =>
      maxUsd === undefined
        ? null
        : { maxUsd, carried: { spentUsd, unaffordable, costs: Object.fromEntries(highest) } },
  };
}

const maxOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
