import { changedRunLimits, defined, type Limits } from '#lib/pure';
import type { SweepInput } from './sweep.js';

/** The parts of a plan that the input of a sweep repeats. */
interface SweepToOrder {
  concurrency: number;
  caps: SweepInput['caps'];
  max_usd: number | null;
  month_usd?: number;
  until_clear?: unknown;
}

/** Settings of a sweep that are not part of its plan. */
interface SweepSettings {
  /** True if its results are shared by several hosts. */
  shared: boolean;
  /** True if the server is not the engine's own. */
  external: boolean;
  /** The time for which a host may show no sign of life, in seconds. */
  lostSecs: number;
  limits: Limits;
  /** The owner's budget of a month as it is now; absent: as it was when the sweep was planned. */
  monthUsd?: number | null;
}

/** Returns the input of a sweep's workflow, except for what identifies and proves it. */
export const sweepOrder = (
  plan: SweepToOrder,
  round: number,
  { shared, external, lostSecs, limits, monthUsd = plan.month_usd ?? null }: SweepSettings,
): Omit<SweepInput, 'sweep' | 'proof'> => ({
  round,
  concurrency: plan.concurrency,
  caps: plan.caps,
  ...(shared ? { placed: true, lostSecs } : {}),
  ...(external ? { sparse: true } : {}),
  ...(limits.cellsPerHistory === Infinity ? {} : { cellsPerHistory: limits.cellsPerHistory }),
  ...changedRunLimits(limits),
  ...defined({ maxUsd: plan.max_usd, monthUsd }),
  ...(plan.until_clear === undefined ? {} : { untilClear: true }),
});

/** The title of a sweep in the Web UI. */
export function sweepTitle(plan: {
  cells: readonly unknown[];
  scenarios: readonly { name: string }[];
  until_clear?: unknown;
}): string {
  const scenarios = [...new Set(plan.scenarios.map(({ name }) => name))].join(', ');
  return `${plan.until_clear === undefined ? '' : 'at most '}${plan.cells.length} cells of ${scenarios}`.slice(0, 200);
}
