import type { SweepInput } from './sweep.js';

/** The parts of a plan that the input of a sweep repeats. */
interface Planned {
  concurrency: number;
  caps: NonNullable<SweepInput['caps']>;
  max_usd: number | null;
}

/**
 * Returns the input of a sweep's workflow, except for what identifies and proves it. `lostSecs`: set if hosts share its
 * results, how long they may show no sign of life; else null.
 */
export const sweepOrder = (
  plan: Planned,
  round: number,
  lostSecs: number | null,
): Omit<SweepInput, 'sweep' | 'proof'> => ({
  round,
  concurrency: plan.concurrency,
  caps: plan.caps,
  scheduler: 2,
  ...(lostSecs === null ? {} : { placed: true, lostSecs }),
  ...(plan.max_usd === null ? {} : { maxUsd: plan.max_usd }),
});

/** What the Web UI shows of a sweep. */
export function sweepTitle(plan: {
  cells: readonly unknown[];
  scenarios: readonly { name: string }[];
}): string {
  const scenarios = [...new Set(plan.scenarios.map(({ name }) => name))].join(', ');
  return `${plan.cells.length} cells of ${scenarios}`.slice(0, 200);
}
