import { type Admission, admit, costOwner } from '#decide/pure';
import { dollars } from '#lib/pure';
import type { Cell } from '#model';
import type { Money, MonthMoney, MonthRead, PageCell, SweepEnd, SweepInput, SweepProgress } from '#protocol';

export interface Cost {
  /** Null if the whole cost is unknown. */
  costUsd: number | null;
  /** The known part, if the whole is unknown. */
  knownUsd?: number;
}

/** The money of a new sweep; null if neither the sweep nor its owner has a budget. */
export const noMoneySpent = ({ maxUsd, monthUsd }: Pick<SweepInput, 'maxUsd' | 'monthUsd'>): Money | null =>
  maxUsd === undefined && monthUsd === undefined
    ? null
    : {
        maxUsd: maxUsd ?? null,
        spentUsd: 0,
        hasEarlier: false,
        unaffordable: 0,
        costs: {},
        ...(monthUsd === undefined ? {} : { month: unreadMonth(monthUsd) }),
      };

const unreadMonth = (maxUsd: number): MonthMoney => ({
  name: '',
  maxUsd,
  spentUsd: 0,
  unrecordedUsd: 0,
  unaffordable: 0,
  reading: 'stale',
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

/** `by the month`: the sweep has room for the cell, and it must be read first whether its owner's month has. */
type Admitted = Admission | 'by the month' | 'never in the month';

/** Decides if a cell can be started. `open`: estimates of the open runs. */
export function admission(money: Money, open: readonly (number | null)[], page: PageCell): Admitted {
  const { maxUsd, spentUsd, month } = money;
  const estimate = estimateOf(money, page);
  const own = maxUsd === null ? 'start' : admit({ maxUsd, spentUsd, open }, estimate);
  if (own !== 'start' || month === undefined || estimate === 0) return own;
  const ofMonth = admit({ maxUsd: month.maxUsd, spentUsd: spentInMonth(month), open }, estimate);
  // The open runs are those of this sweep, and a month only gets dearer until the next begins.
  if (ofMonth === 'wait') return 'wait';
  if (month.reading !== 'fresh') return 'by the month';
  return ofMonth === 'never' ? 'never in the month' : 'start';
}

const spentInMonth = ({ spentUsd, unrecordedUsd }: MonthMoney): number => dollars(spentUsd + unrecordedUsd);

/** Leaves a cell out that the budget has no room for. */
export const withoutCell = (money: Money, byMonth: boolean): Money => ({
  ...withMonth(money, ({ unaffordable }) => (byMonth ? { unaffordable: unaffordable + 1 } : {})),
  unaffordable: money.unaffordable + 1,
});

/** Changes what is known of the owner's month, if it has a budget. */
export const withMonth = (money: Money, change: (month: MonthMoney) => Partial<MonthMoney>): Money =>
  money.month === undefined ? money : { ...money, month: { ...money.month, ...change(money.month) } };

/** Takes over the spending that was read; it counts unless a run has ended since it was asked for. */
export const withReadMonth = (money: Money, { name, spentUsd }: MonthRead): Money =>
  withMonth(money, (before) => ({
    name,
    spentUsd,
    unrecordedUsd: before.name === name || before.name === '' ? before.unrecordedUsd : 0,
    reading: before.reading === 'asked' ? 'fresh' : 'stale',
  }));

/** Whatever was decided with it, the next decision needs it anew. */
export const withUsedMonth = (money: Money): Money =>
  money.month?.reading === 'fresh' ? withMonth(money, () => ({ reading: 'stale' })) : money;

/** The same when a history begins: nobody answers what the one before has asked. */
export const withForgottenMonth = (money: Money): Money => withMonth(money, () => ({ reading: 'stale' }));

/**
 * Adds the known cost of a run that has ended. Only a cost that is completely known counts for the next run's estimate.
 * `isRecorded`: the results say so too, where other sweeps of the owner see it.
 */
export function afterRun(before: Money, cell: Cell, { costUsd, knownUsd = 0 }: Cost, isRecorded: boolean): Money {
  const usd = costUsd ?? knownUsd;
  const money = withMonth(before, ({ reading, unrecordedUsd }) => ({
    unrecordedUsd: isRecorded ? unrecordedUsd : dollars(unrecordedUsd + usd),
    reading: reading === 'asked' ? 'asked too early' : reading,
  }));
  const spentUsd = dollars(money.spentUsd + usd);
  if (costUsd === null) return { ...money, spentUsd };
  const owner = costOwner(cell);
  const costs = { ...money.costs, [owner]: Math.max(costUsd, money.costs[owner] ?? 0) };
  return { ...money, spentUsd, costs };
}

/** True until it is known what the owner has spent. */
export const isMonthAsked = (money: Money | null): boolean => money?.month?.reading.startsWith('asked') === true;

/** For the summary of a sweep: the budget that kept cells from being started, if one did. */
export function overBudgetOf({ maxUsd, spentUsd, unaffordable, month }: Money): Pick<SweepEnd, 'overBudget'> {
  if (unaffordable === 0) return {};
  if (month !== undefined && (maxUsd === null || month.unaffordable > 0))
    return { overBudget: { maxUsd: month.maxUsd, spentUsd: spentInMonth(month), month: month.name } };
  return { overBudget: { maxUsd: maxUsd ?? 0, spentUsd } };
}

/** For the progress of a sweep: nothing until the month was read. */
export const shownMonth = ({ month }: Money): Pick<SweepProgress, 'month'> =>
  month === undefined || month.name === ''
    ? {}
    : { month: { name: month.name, maxUsd: month.maxUsd, spentUsd: spentInMonth(month) } };
