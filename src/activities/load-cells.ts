import type { Agent } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import type { Cell } from '../results/cell.js';
import { scenarioOf, type EffectiveScenario, type Plan } from '../scenario/plan.js';
import { resultsIndex } from '../store/results-index.js';
import type { CellPage, CellsWanted, PageCell } from '../workflows/protocol.js';
import type { Deps } from './step/run-context.js';
import { readPlan, readScenario } from './step/stored.js';

/** A page of the plan's cells, with the outcome of those that this sweep has finished already. */
export const loadCells =
  ({ resultsPath }: Deps) =>
  async ({ sweep, offset, limit, round = 1, again = [] }: CellsWanted): Promise<CellPage> => {
    const plan = await readPlan(resultsPath, sweep);
    const index = resultsIndex(resultsPath);
    const finished = index.ofSweep(sweep);
    const agents = knownAgents(plan.agents);
    const estimate = plan.max_usd === null ? () => ({}) : await estimator(resultsPath, plan, agents);
    const cells = plan.cells.slice(offset, offset + limit).map((cell): PageCell => {
      const known = finished.get(cell.id);
      const costUsd = index.spent(sweep, cell.id);
      // In a sweep that goes on after its workflow was ended, what that cancelled is still to be done.
      const undone = [...again, ...(round > 1 ? ['cancelled'] : [])];
      if (known === undefined || undone.includes(known.outcome)) {
        const provider = agents.get(cell.agent)?.provider(cell.model) ?? null;
        return {
          cell,
          finished: null,
          costUsd,
          ...estimate(cell),
          ...(provider === null ? {} : { provider }),
        };
      }
      return { cell, finished: known.outcome, costUsd };
    });
    return { cells, total: plan.cells.length };
  };

/** What a cell may cost: the scenario's limit, else the dearest run of its kind so far, else nothing for what is free. */
async function estimator(
  resultsPath: string,
  plan: Plan,
  agents: ReadonlyMap<string, Agent>,
): Promise<(cell: Cell) => Pick<PageCell, 'estimateUsd' | 'limited'>> {
  const scenarios = new Map<string, EffectiveScenario>();
  for (const { hash } of plan.scenarios) scenarios.set(hash, await readScenario(resultsPath, hash));
  return (cell) => {
    const effective = scenarios.get(scenarioOf(plan, cell)?.hash ?? '');
    const highest = resultsIndex(resultsPath).highestCost(cell);
    const limit = effective?.scenario.cost.max_usd;
    const judged = effective?.judge != null;
    if (limit !== undefined) {
      // The limit holds the agent; what its judge costs comes on top, and only experience tells.
      return judged ? { estimateUsd: Math.max(limit, highest ?? 0) } : { estimateUsd: limit, limited: true };
    }
    const free = agents.get(cell.agent)?.free === true && !judged;
    return { estimateUsd: highest ?? (free ? 0 : null) };
  };
}
