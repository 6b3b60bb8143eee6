import { type Agent, agentOfCell, knownAgents } from '#agents';
import { maxCost, turnOrder } from '#decide';
import { proveRun, readSweepEnv, sweepEnvFrom } from '#host';
import { defined, groupBy } from '#lib';
import type { Cell } from '#model';
import {
  type CellKind,
  type CellPage,
  type LoadCellsInput,
  type PageCell,
  type ProviderLimit,
  type RunRef,
  runWorkflowId,
} from '#protocol';
import { type EffectiveScenario, judgeModelOf, type Plan, scenarioOf } from '#scenario';
import {
  beginRound,
  giveUpEarlierRounds,
  originKey,
  pullResults,
  resultsIndex,
  type ResultsIndex,
  sharedProjectOf,
} from '#store';
import { resolveAgent, variablesOfAgent } from './credentials/resolve-agent.js';
import { spentOn } from './report/record-result.js';
import type { Deps } from './step/deps.js';
import { readPlan, readScenario } from './run/load-plan.js';
import { verifyStart } from './origin/verify-origin.js';
import { settleCells } from './settle-cells.js';

/** Returns cells of the plan, with the outcome of those that this sweep has finished already. */
export const loadCells =
  (deps: Deps) =>
  async (wanted: LoadCellsInput): Promise<CellPage> => {
    const { resultsPath, stateFolder } = deps;
    const { sweep, origin } = wanted;
    const { plan, planHash } = await readPlan(resultsPath, sweep);
    const project = await sharedProjectOf(resultsPath);
    const order = await verifyStart(deps, { sweep, planHash }, origin);
    const { round, again: asked = [], againCells: chosen } = origin.order;
    const key = await originKey(deps);
    // A round begins here: when an earlier round ends late, it sees the new one (finish-sweep.ts).
    await beginRound(resultsPath, sweep, round);
    const index = resultsIndex(resultsPath);
    // When a later round continues a sweep whose workflow was ended, cells that this cancelled must still be run.
    const undone = [...asked, ...(round > 1 ? ['cancelled'] : [])];
    // Cells that a decision has released (decide-next.ts) are run again if they ended with an error.
    const isReleased = plan.until_clear !== undefined && wanted.positions !== undefined;
    const isRun = (cell: string, outcome: string | undefined): boolean =>
      chosen === undefined
        ? outcome === undefined || undone.includes(outcome) || (isReleased && outcome === 'error')
        : chosen.includes(cell);
    const { selected, later } = select(plan.cells, wanted);
    if (project !== null) {
      await pullResults(project, sweep);
      const known = index.ofSweep(sweep);
      const open = selected.filter(({ id }) => isRun(id, known.get(id)?.outcome));
      const resultsOf = plan.until_clear === undefined ? null : resultCounts(index, sweep);
      await giveUpEarlierRounds(
        project,
        sweep,
        round,
        open.map(({ id }) => ({ cell: id, redo: resultsOf?.get(id) ?? 0 })),
      );
    }
    const toRun = (cell: Cell, again: { redo?: number }): Pick<RunRef, 'workflowId' | 'proof'> => {
      const workflowId = runWorkflowId(sweep, cell.id, round, again);
      return { workflowId, proof: proveRun(key, { sweep, planHash, cell, workflowId }, order) };
    };
    const before = index.ofSweep(sweep);
    const open = project !== null || chosen !== undefined ? [] : selected.filter(({ id }) => !before.has(id));
    const unsettled = await settleCells(
      deps,
      plan,
      open.map((cell) => ({ sweep, cell, ...toRun(cell, {}) })),
    );
    const finished = index.ofSweep(sweep);
    const results = isReleased ? resultCounts(index, sweep) : null;
    const agents = knownAgents(plan.agents);
    // The values are stored before the first page is loaded; a worker on another machine has them in its environment.
    const sweepEnv = await readSweepEnv(stateFolder, sweep);
    const accounts = accountsOf(plan, deps, sweepEnv?.values ?? null);
    const payer = (cell: Cell): Pick<CellKind, 'provider' | 'account'> => {
      const provider = agents.get(cell.agent)?.provider(cell.model) ?? null;
      return { ...defined({ provider }), ...accounts(cell) };
    };
    const hasBudget = plan.max_usd !== null || origin.order.monthUsd !== undefined;
    const estimate = !hasBudget ? () => ({}) : await estimator(resultsPath, plan, agents);
    const cells = selected.map((cell): PageCell => {
      const known = finished.get(cell.id);
      if (unsettled.includes(cell.id) || isRun(cell.id, known?.outcome)) {
        const redo = known?.outcome === 'error' ? results?.get(cell.id) : undefined;
        const again = redo === undefined ? {} : { redo };
        return {
          cell,
          finished: null,
          ...again,
          proof: toRun(cell, again).proof,
          ...(chosen === undefined ? {} : { fresh: true }),
          ...estimate(cell),
          ...payer(cell),
        };
      }
      // A round of chosen cells does not run other cells, even if they were never run.
      return { cell, finished: known?.outcome ?? 'cancelled' };
    });
    const isFirst = wanted.offset === 0 && wanted.positions === undefined;
    const limits = await limitsOf(deps, cells);
    return {
      cells,
      ...(limits.length === 0 ? {} : { limits }),
      total: plan.cells.length,
      ...(wanted.positions === undefined
        ? {
            rest: firstOfEach(later).map((cell) => ({
              agent: cell.agent,
              model: cell.model,
              ...payer(cell),
            })),
          }
        : {}),
      ...(!hasBudget || !isFirst ? {} : { earlierUsd: spentOn(plan, index) }),
    };
  };

/** Counts the results of each cell of a sweep. */
function resultCounts(index: ResultsIndex, sweep: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { cell } of index.linesOfSweep(sweep)) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return counts;
}

/** The limits of these cells' accounts that other sweeps or hosts have reached. */
async function limitsOf(
  { providerLimits }: Pick<Deps, 'providerLimits'>,
  cells: readonly PageCell[],
): Promise<ProviderLimit[]> {
  if (providerLimits === undefined) return [];
  const providers = new Map(
    cells.flatMap(({ account, provider }) =>
      account === undefined || provider === undefined ? [] : [[account, provider]],
    ),
  );
  const found: ProviderLimit[] = [];
  for (const [account, provider] of providers) {
    const until = await providerLimits.current(account);
    if (until !== null) found.push({ provider, account, until });
  }
  return found;
}

/** Returns the cells to load and, of a page, the cells after it. */
function select(
  cells: readonly Cell[],
  { positions, offset, limit }: LoadCellsInput,
): { selected: readonly Cell[]; later: readonly Cell[] } {
  const ordered = turnOrder(cells).flatMap((position) => cells[position] ?? []);
  const end = offset + limit;
  return positions === undefined
    ? { selected: ordered.slice(offset, end), later: ordered.slice(end) }
    : { selected: positions.flatMap((position) => ordered[position] ?? []), later: [] };
}

/** The first cell of each agent and model. */
const firstOfEach = (cells: readonly Cell[]): Cell[] =>
  groupBy(cells, ({ agent, model }) => JSON.stringify([agent, model])).flatMap((group) => group.slice(0, 1));

/** Returns a function that gives the account of a cell's agent, as the cell's run will determine it. */
function accountsOf(
  plan: Plan,
  { environment = () => process.env }: Pick<Deps, 'environment'>,
  values: Record<string, string> | null,
): (cell: Cell) => Pick<PageCell, 'account'> {
  const known = new Map<string, string | null>();
  return ({ agent, model }) => {
    const who = { agent, model };
    const key = JSON.stringify(who);
    if (!known.has(key)) {
      const own = values ?? sweepEnvFrom(environment(), variablesOfAgent(plan, who)).values;
      known.set(key, resolveAgent(plan, who, own)?.account ?? null);
    }
    const account = known.get(key) ?? null;
    return account === null ? {} : { account };
  };
}

/**
 * Returns a function that estimates what a cell may cost: the scenario's limit, else the highest cost of such a run so
 * far, else 0 for what is free, else null.
 */
async function estimator(
  resultsPath: string,
  plan: Plan,
  agents: ReadonlyMap<string, Agent>,
): Promise<(cell: Cell) => Pick<PageCell, 'estimateUsd' | 'limited'>> {
  const scenarios = new Map<string, EffectiveScenario>();
  for (const { hash } of plan.scenarios) scenarios.set(hash, (await readScenario(resultsPath, hash)).effective);
  return (cell) => {
    const effective = scenarios.get(scenarioOf(plan, cell)?.hash ?? '');
    const highest = resultsIndex(resultsPath).highestCost(cell);
    const limit = effective?.scenario.cost.max_usd ?? null;
    const isJudged = effective !== undefined && judgeModelOf(effective) !== null;
    // No agent is started, and earlier runs do not show what their checks cost.
    if (plan.regrade?.or_run === false) return { estimateUsd: isJudged ? null : 0 };
    const isFree = agentOfCell(cell, agents)?.free === true;
    const estimateUsd = maxCost({ limit, highest, isFree, isJudged });
    return { estimateUsd, ...(limit !== null && !isJudged ? { limited: true } : {}) };
  };
}
