import type { SweepCell } from '#decide';

/** A run in the table. */
export type ListedRun = SweepCell & {
  /** Its outcome, or `running` or `waiting`. */
  look: string;
  /** The first gate that did not pass, or what else it is that did not. */
  why?: string;
  /** Types and titles of the gates that did not pass. */
  failed?: readonly string[];
  /** The end of what the agent said. */
  end?: string;
  /** The outcome of the run that it is compared with. */
  other?: string;
};

/** The runs of a configuration, in numbers. */
export interface ConfigurationFigures extends Pick<SweepCell, 'variant' | 'agent' | 'model'> {
  passed: number;
  tested: number;
  /** With a confidence of 95 %; null: nothing was tested. */
  interval: { low: number; high: number } | null;
  /** US dollars of a run; null: no cost is known. */
  cost: Spread | null;
  /** Seconds of a run. */
  duration: Spread | null;
}

/** The least, the quartiles and the most of some numbers. */
export interface Spread {
  count: number;
  least: number;
  quarter: number;
  median: number;
  threeQuarters: number;
  most: number;
}
