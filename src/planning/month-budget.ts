import { dollars, formatCost, UsageError } from '#lib';
import { agentOfCell, knownAgents } from '#agents';
import { maxCost } from '#decide';
import type { Cell } from '#model';
import { judgeModelOf } from '#scenario';
import { monthOf, resultsIndex, spentByOwner } from '#store';
import { monthUsdOf } from './owner.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/** An owner's month, and the rest of its budget; US dollars. */
export interface MonthLeft {
  owner: string | null;
  /** Like 2026-11, in UTC. */
  month: string;
  max_usd: number;
  spent_usd: number;
  left_usd: number;
}

/** Returns what is left of the month of a sweep's owner; null if the config gives no budget. */
export async function monthLeft(
  { config, resultsPath }: Project,
  owner: string | null,
  now = new Date(),
): Promise<MonthLeft | null> {
  const maxUsd = monthUsdOf(config, owner);
  if (maxUsd === null) return null;
  const month = monthOf(now);
  const spentUsd = await spentByOwner(resultsPath, owner, month);
  const leftUsd = Math.max(0, dollars(maxUsd - spentUsd));
  return { owner, month, max_usd: maxUsd, spent_usd: spentUsd, left_usd: leftUsd };
}

/** @throws UsageError if nothing is left of the month of a sweep's owner, and the sweep may cost something */
export async function refuseSpentMonth(sweep: ResolvedSweep): Promise<void> {
  const left = await monthLeft(sweep.project, sweep.owner);
  if (left === null || left.left_usd > 0 || !mayCost(sweep)) return;
  throw new UsageError(
    'budget_spent',
    `${monthText(left)}; wait for the next month, or raise it in [budgets] of the config`,
  );
}

export const monthText = ({ owner, month, max_usd, left_usd }: MonthLeft): string =>
  `${left_usd === 0 ? 'nothing' : formatCost(left_usd)} is left of the ${formatCost(max_usd)} that the sweeps of ${owner ?? 'unknown owners'} may cost in ${month}`;

const mayCost = (sweep: ResolvedSweep): boolean => sweep.cells.some((cell) => mostOf(sweep, cell) !== 0);

/** The most that the run of a cell may cost, US dollars; null if it is not known. */
export function mostOf({ project, scenarios, agents }: ResolvedSweep, cell: Cell): number | null {
  const effective = scenarios.find(
    ({ selected, variant }) => selected.scenario.name === cell.scenario && variant.variant === cell.variant,
  )?.effective;
  return maxCost({
    limit: effective?.scenario.cost.max_usd ?? null,
    highest: resultsIndex(project.resultsPath).highestCost(cell),
    isFree: agentOfCell(cell, knownAgents(agents))?.free === true,
    isJudged: effective !== undefined && judgeModelOf(effective) !== null,
  });
}
