import { checkCodecKeys } from '../platform/engine/check-codec-keys.js';
import { projectState } from '../platform/folders.js';
import { sweepEnvFrom } from '../platform/sweep-env.js';
import type { Project } from '../planning/project.js';
import type { ResolvedSweep } from '../planning/resolve-sweep.js';
import { writePlan } from '../planning/write-plan.js';
import type { Plan } from '../scenario/plan.js';
import { originOf } from '../store/origin.js';
import { passVariables } from './pass-variables.js';
import { storedScenarios } from './pass-variables-again.js';
import type { Session } from './session.js';

/** Writes the plan of a sweep that has been checked. */
export async function planSweep(project: Project, resolved: ResolvedSweep, name?: string): Promise<Plan> {
  await checkCodecKeys(project.resultsPath);
  // before the plan exists: sweeps that exist when the key is created are taken to be those of an older build
  await originOf({ resultsPath: project.resultsPath, stateFolder: projectState(project.resultsPath).folder });
  return writePlan(project, resolved, name);
}

/** Starts a sweep that has just been planned, with the values that its variables have in `environment`. */
export async function startPlanned(
  session: Session,
  plan: Plan,
  { variables }: Pick<ResolvedSweep, 'variables'>,
  environment: NodeJS.Dict<string>,
): Promise<void> {
  // imported only when needed, because loading Temporal's client takes longer than everything before
  const { startSweep } = await import('./start-sweep.js');
  // only once the engine is running: if the command gave up before, the values would be left on disk
  const scenarios = await storedScenarios(session.engine.resultsPath, plan);
  await passVariables(session, plan, scenarios, sweepEnvFrom(environment, variables));
  await startSweep(session, plan, 1);
}
