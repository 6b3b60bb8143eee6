/** Runs that passed, of those that passed or failed. */
export interface Count {
  passed: number;
  tested: number;
}

/** One configuration on both sides. It is compared only with itself. */
export interface Stratum {
  base: Count;
  head: Count;
}

export interface Interval {
  low: number;
  high: number;
}

export const isStratumTested = ({ base, head }: Stratum): boolean => base.tested > 0 && head.tested > 0;

export const rate = ({ passed, tested }: Count): number => passed / tested;

export const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((all, one) => all + of(one), 0);
