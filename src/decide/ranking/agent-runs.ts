import { groupBy, mean } from '#lib';
import { scenarioLabel } from '#model';
import { armsOf, type Arm, type Sample, type SweepResults } from '../comparison/samples.js';
import type { AgentName } from './document.js';

/** The runs of an agent with a model, by scenario and variant. */
export interface AgentRuns extends AgentName {
  /** By label of scenario and variant. */
  arms: ReadonlyMap<string, Arm>;
}

/** Groups a sweep by agent and model, in the order of its cells. */
export const runsByAgent = (sweep: SweepResults, options: { alpha: number }): AgentRuns[] =>
  groupBy([...armsOf(sweep, () => false, options).values()], ({ configuration: { agent, model } }) =>
    JSON.stringify([agent, model]),
  ).flatMap((arms) =>
    arms.slice(0, 1).map(({ configuration: { agent, model } }) => ({
      agent,
      model,
      arms: new Map(arms.map((arm) => [scenarioLabel(arm.configuration), arm])),
    })),
  );

/** Returns the cost of a run without its judge, which is no part of what the agent costs; null: unknown. */
export function agentCost({ cost_usd: cost, metrics }: Sample): number | null {
  const judge = metrics?.judge?.cost_usd ?? 0;
  return cost === null ? null : Math.max(0, cost - judge);
}

/** Returns the mean over scenarios of the mean of the known values; null if a scenario with runs has none. */
export function meanOverScenarios(
  arms: readonly Arm[],
  valueOf: (sample: Sample) => number | null,
): number | null {
  const means = arms.map(({ samples }) => mean(samples.map(valueOf)));
  return means.some((value) => value === null) ? null : mean(means);
}
