import type { MonthInput, MonthRead } from '#protocol';
import { monthOf, spentByOwner } from '#store';
import { verifyStart } from './origin/verify-origin.js';
import { readPlan } from './run/load-plan.js';
import type { Deps } from './step/deps.js';

/** Returns what the owner of a sweep has spent this month, with all sweeps. */
export const readMonth =
  (deps: Deps) =>
  async ({ sweep, origin }: MonthInput): Promise<MonthRead> => {
    const { plan, planHash } = await readPlan(deps.resultsPath, sweep);
    await verifyStart(deps, { sweep, planHash }, origin);
    const name = monthOf(new Date());
    return { name, spentUsd: await spentByOwner(deps.resultsPath, plan.owner ?? null, name) };
  };
