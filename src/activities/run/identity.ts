import { ApplicationFailure } from '@temporalio/common';
import type { RunRef, TurnRef } from '#protocol';
import { type EffectiveScenario, firstAgentStep, type Plan, scenarioOf } from '#scenario';
import { originKey, stateOfRun } from '#store';
import { verifyRun } from '../origin/verify-origin.js';
import type { Deps } from '../step/deps.js';
import { checkName, readPlan, readScenario } from './load-plan.js';

/** Which run a step belongs to, what it tests, and where its steps leave their results and fences. */
export interface RunIdentity extends EffectiveScenario {
  run: RunRef;
  /** The turn that the step performs; the first one for steps that perform none. */
  turn: TurnRef;
  plan: Plan;
  planHash: string;
  scenarioFile: string;
  scenarioHash: string;
  /** Folder on the host in which the run records what it has done. */
  state: string;
  /** Key that signs the manifests of steps. */
  originKey: Buffer;
  /** Set if the work of an earlier run is checked again. */
  regrade: {
    /** Id of that run; null if there is none. */
    run: string | null;
    /** Whether the cell is run if that is not possible. */
    orRun: boolean;
  } | null;
}

/**
 * @throws ApplicationFailure (non-retryable) if the store is damaged, or the command line did not start the run
 */
export async function loadIdentity(deps: Deps, run: RunRef, turn?: TurnRef): Promise<RunIdentity> {
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
