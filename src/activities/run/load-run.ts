import { ApplicationFailure } from '@temporalio/common';
import type { RunRef, TurnRef } from '#protocol';
import { firstAgentStep, scenarioOf } from '#scenario';
import { originKey, stateOfRun } from '#store';
import type { Deps } from '../step/deps.js';
import { mountedCommand } from './mounted-agent.js';
import { loadPlaces } from './places.js';
import { loadSecrets } from './secrets.js';
import { judgeOf, loadVariables } from './values-of-run.js';
import type { LoadedRun, RunAccess, RunIdentity, RunSecrets } from './context.js';
import { accountOfProvider, resolveAgent } from '../credentials/resolve-agent.js';
import { noteReason } from '../step/open-runs.js';
import { verifyRun } from '../origin/verify-origin.js';
import { checkName, readPlan, readScenario } from './load-plan.js';

interface LoadOptions {
  decidePlace?: boolean;
  turn?: TurnRef | undefined;
}

/**
 * Loads what a step needs to know about its run.
 * @throws ApplicationFailure (non-retryable) if the store is damaged, the command line did not start the run, or this
 * worker does not know the agent
 */
export async function loadRun(
  deps: Deps,
  run: RunRef,
  { decidePlace = false, turn }: LoadOptions = {},
): Promise<LoadedRun> {
  const identity = await loadIdentity(deps, run, turn);
  const variables = await loadVariables(deps, identity);
  const places = await loadPlaces(deps, identity, variables, decidePlace);
  const command = mountedCommand(places.place, variables.agent.agent);
  const inPlace = command === undefined ? null : resolveAgent(identity.plan, run.cell, variables.env.values, command);
  const known = inPlace === null ? variables : { ...variables, agent: inPlace };
  return { ...identity, ...places, ...(await loadSecrets(deps, identity, known, places)) };
}

/** The same for a step that starts the agent or asks a model. */
export async function loadWithAccess(
  deps: Deps,
  run: RunRef,
  loading: LoadOptions = {},
): Promise<LoadedRun & RunAccess> {
  const loaded = await loadRun(deps, run, loading);
  return { ...loaded, ...loadAccess(deps, loaded) };
}

function loadAccess(deps: Deps, context: RunIdentity & Pick<RunSecrets, 'values'>): RunAccess {
  const { run, plan, values } = context;
  const own = resolveAgent(plan, run.cell, values);
  const asked = judgeOf(plan, context);
  return {
    agentSettings: own?.settings ?? null,
    access: own?.access ?? null,
    account: own?.account ?? null,
    judgeAccount:
      asked.provider === null
        ? ((asked.agent === null ? null : resolveAgent(plan, asked.agent, values))?.account ?? null)
        : accountOfProvider(asked.providerName, asked.provider, values),
    limits: deps.providerLimits ?? null,
    provider: asked.provider,
    noteReason: (reason) => {
      noteReason(deps, run, reason);
    },
  };
}

/**
 * @throws ApplicationFailure (non-retryable) if the store is damaged, or the command line did not start the run
 */
async function loadIdentity(deps: Deps, run: RunRef, turn?: TurnRef): Promise<RunIdentity> {
  const { resultsPath, stateFolder } = deps;
  checkName(run.run);
  const { plan, planHash } = await readPlan(resultsPath, run.sweep);
  await verifyRun(deps, run, planHash);
  const planned = scenarioOf(plan, run.cell);
  if (planned === undefined) {
    throw ApplicationFailure.nonRetryable(
      `the plan of ${run.sweep} does not contain scenario ${run.cell.scenario}, variant ${run.cell.variant}`,
      'StoreBroken',
    );
  }
  const { effective, unchanged } = await readScenario(resultsPath, planned.hash);
  if (!unchanged) {
    throw ApplicationFailure.nonRetryable(
      `scenario.json of ${run.cell.scenario} in the store was changed since it was planned`,
      'StoreBroken',
    );
  }
  const { regrade } = plan;
  return {
    ...effective,
    run,
    turn: turn ?? { number: 1, at: firstAgentStep(effective.scenario) },
    plan,
    planHash,
    scenarioFile: planned.file,
    scenarioHash: planned.hash,
    state: stateOfRun(stateFolder, run.run),
    originKey: await originKey(deps),
    regrade: regrade === undefined ? null : { run: regrade.runs[run.cell.id] ?? null, orRun: regrade.or_run },
  };
}
