import type { Cell } from '../../results/records/cell.js';
import type { Plan } from '../../scenario/plan.js';
import type { Deps } from '../step/deps.js';

/** Why this machine cannot run a cell; null if it can. */
export const whyUnfit = (_deps: Deps, _plan: Plan, _cell: Cell): Promise<string | null> =>
  Promise.resolve(null);
