import { checkCodecKeys } from '#engine';
import { projectState, sweepEnvFrom } from '#host';
import { type ResolvedSweep, writePlan, type WrittenPlan } from '#planning';
import { originKey } from '#store';
import { passVariables } from './pass-variables.js';
import type { Session } from './session.js';

/** Writes the plan of a sweep that has been checked. */
export async function planSweep(sweep: ResolvedSweep): Promise<WrittenPlan> {
  const { resultsPath } = sweep.project;
  await checkCodecKeys(resultsPath);
  // A damaged key is reported before there is a plan.
  await originKey({ resultsPath, stateFolder: projectState(resultsPath).folder });
  return writePlan(sweep);
}

/** Starts a sweep that has just been planned, with the values that its variables have now. */
export async function startPlanned(
  session: Session,
  { plan, stored }: WrittenPlan,
  { variables, environment }: ResolvedSweep,
): Promise<void> {
  // Imported only when needed, because loading Temporal's client takes longer than everything before.
  const { startSweep } = await import('./start-sweep.js');
  // Only once the engine is running: if the command gave up before, the values would be left on disk.
  await passVariables(session, plan, stored, sweepEnvFrom(environment, variables));
  await startSweep(session, plan, 1);
}
