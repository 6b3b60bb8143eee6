// Workflow code imports this file, so it contains only plain functions.
import { dollars } from '#lib/pure';
import type { Outcome } from '#model';

/** Identifies runs that are expected to cost alike: the cost of a finished one predicts that of the next. */
export interface CostOwner {
  scenario: string;
  agent: string;
  model: string;
}

/** Returns the key of an owner's costs. */
export const costOwner = ({ scenario, agent, model }: CostOwner): string => JSON.stringify([scenario, agent, model]);

/** False for a run that ended before its agent was started: it cost little, which says nothing about the next one. */
export const predictsCost = ({ outcome, starts }: { outcome: Outcome; starts: number | null }): boolean =>
  starts !== 0 || outcome === 'pass' || outcome === 'fail';

/**
 * The most that a run may cost, US dollars: the limit of its scenario, else the highest cost of such a run so far; null
 * if nothing is known. A limit applies to the agent. A judge costs extra, and only earlier runs show how much.
 */
export function maxCost({
  limit,
  highest,
  isFree,
  isJudged,
}: {
  limit: number | null;
  highest: number | null;
  isFree: boolean;
  isJudged: boolean;
}): number | null {
  if (limit !== null) return isJudged ? Math.max(limit, highest ?? 0) : limit;
  return highest ?? (isFree && !isJudged ? 0 : null);
}

/** The budget and spending of a sweep, and the estimated costs of its open runs; US dollars. */
export interface Budget {
  maxUsd: number;
  spentUsd: number;
  /** Estimated costs of the open runs; null: unknown. */
  open: readonly (number | null)[];
}

/** `wait`: the open runs may leave enough money. `never`: there is too little, whatever the open runs cost. */
export type Admission = 'start' | 'wait' | 'never';

/**
 * Decides whether a cell with this estimated cost can start without exceeding the sweep's budget. While the costs are
 * unknown, cells run one at a time.
 */
export function admit({ maxUsd, spentUsd, open }: Budget, estimate: number | null): Admission {
  if (estimate === 0) return 'start';
  const room = dollars(maxUsd - spentUsd); // 0.5 - 0.4 is less than 0.1
  if (room <= 0 || (estimate !== null && estimate > room)) return 'never';
  if (estimate === null || open.includes(null)) return open.every((one) => one === 0) ? 'start' : 'wait';
  const reserved = open.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return estimate <= dollars(room - reserved) ? 'start' : 'wait';
}
