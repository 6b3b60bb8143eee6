import { agentOfCell, knownAgents } from '../../agents/index.js';
import { dollars, formatCost } from '../../lib/format/dollars.js';
import type { ResolvedSweep } from '../../planning/resolve-sweep.js';
import { mostCost } from '../../results/budget.js';
import type { UntilClear } from '../../results/decision/until-clear.js';
import type { Cell } from '../../results/records/cell.js';
import { modelAsked } from '../../scenario/plan.js';
import { resultsIndex } from '../../store/results-index.js';

/** What a sweep that runs until its verdict is clear may need at most. */
interface Most {
  base: string;
  /** Percentage points; null if no margin was given. */
  margin: number | null;
  most_runs: number;
  /** Runs of a configuration on each side. */
  most_runs_each: number;
  /** US dollars; null if unknown. */
  most_usd: number | null;
}

/** Returns what the sweep may need at most; null if it runs all of its cells. */
export function mostOf(resolved: ResolvedSweep, resultsPath: string): Most | null {
  const { untilClear, cells, maxUsd } = resolved;
  if (untilClear === undefined) return null;
  const costs = cells.map((cell) => costOf(resolved, resultsPath, cell));
  const known = costs.flatMap((cost) => cost ?? []);
  const usd = known.length < costs.length ? null : dollars(known.reduce((sum, cost) => sum + cost, 0));
  return {
    base: nameOf(untilClear.base),
    margin: untilClear.margin === null ? null : untilClear.margin * 100,
    most_runs: cells.length,
    most_runs_each: untilClear.most_runs,
    most_usd: usd === null ? maxUsd : Math.min(usd, maxUsd ?? usd),
  };
}

export const mostText = ({ base, most_runs_each, most_usd }: Most): string =>
  `compared with ${base} in rounds until the verdict is clear: at most ${most_runs_each} runs of each configuration on each side; cost: ${most_usd === null ? 'unknown; --max-usd limits it' : `at most ${formatCost(most_usd)}`}`;

const nameOf = (base: UntilClear['base']): string => (base.kind === 'variant' ? base.variant : base.sweep);

function costOf({ scenarios, agents }: ResolvedSweep, resultsPath: string, cell: Cell): number | null {
  const effective = scenarios.find(
    ({ selected, variant }) => selected.scenario.name === cell.scenario && variant.variant === cell.variant,
  )?.effective;
  return mostCost({
    limit: effective?.scenario.cost.max_usd ?? null,
    highest: resultsIndex(resultsPath).highestCost(cell),
    isFree: agentOfCell(cell, knownAgents(agents))?.free === true,
    isJudged: effective !== undefined && modelAsked(effective) !== null,
  });
}
