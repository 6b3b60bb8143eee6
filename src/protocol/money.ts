/** The costs of a sweep with a budget, or whose owner has one; US dollars. */
export interface Money {
  /** Null if only its owner has a budget. */
  maxUsd: number | null;
  /** Known spending so far. */
  spentUsd: number;
  /** Number of cells that were not started because the budget had no room for them. */
  unaffordable: number;
  /** The most that a run has cost so far, by scenario, agent and model. */
  costs: Readonly<Record<string, number>>;
  /** True if `spentUsd` includes what all cells cost before this workflow. */
  hasEarlier: boolean;
  /** Absent if the owner has no budget. */
  month?: MonthMoney;
}

/** The spending of a sweep's owner in a month, with all sweeps; US dollars. */
export interface MonthMoney {
  /** Like 2026-11; empty before it was read. */
  name: string;
  maxUsd: number;
  /** Known costs of recorded runs. */
  spentUsd: number;
  /** The cost of runs of this sweep that left no record. */
  unrecordedUsd: number;
  /** Number of cells of this sweep that were not started because of this budget. */
  unaffordable: number;
  /**
   * `fresh`: cells may be started by it. Other sweeps of the owner spend too, so it is read again before each start.
   * `asked too early`: a run has ended since it was asked for.
   */
  reading: 'stale' | 'asked' | 'asked too early' | 'fresh';
}

/** The spending of an owner in a month. */
export type MonthRead = Pick<MonthMoney, 'name' | 'spentUsd'>;
