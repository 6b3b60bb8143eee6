// Workflow code imports this file: nothing but plain functions.

/** Whose runs are expected to cost alike: a finished one tells what the next may cost. */
export interface CostOwner {
  scenario: string;
  agent: string;
  model: string;
}

/** A key for an owner's costs. */
export const costOwner = ({ scenario, agent, model }: CostOwner): string =>
  JSON.stringify([scenario, agent, model]);

/** What a sweep may spend, has spent, and has open; US dollars. An estimate is null where nothing is known. */
export interface Budget {
  maxUsd: number;
  spentUsd: number;
  /** Estimates of the runs that are open. */
  open: readonly (number | null)[];
}

/** `wait`: open runs may leave room. `never`: there is no room, whatever they turn out to cost. */
export type Admission = 'start' | 'wait' | 'never';

/**
 * Whether a cell that may cost `estimate` can be started without the sweep passing its budget. Where nothing is known of
 * the costs, one cell at a time finds out.
 */
export function admit({ maxUsd, spentUsd, open }: Budget, estimate: number | null): Admission {
  if (estimate === 0) return 'start';
  const room = maxUsd - spentUsd;
  if (room <= 0 || (estimate !== null && estimate > room)) return 'never';
  if (estimate === null || open.includes(null)) return open.every((one) => one === 0) ? 'start' : 'wait';
  const reserved = open.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return estimate <= room - reserved ? 'start' : 'wait';
}
