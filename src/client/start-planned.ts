import { beginEngine, checkCodecKeys } from '#engine';
import { isMirror, projectState, sweepEnvFrom } from '#host';
import { refuseSpentMonth, type ResolvedSweep, writePlan, type WrittenPlan } from '#planning';
import type { Plan } from '#scenario';
import { originKey } from '#store';
import { noteAction } from './note-action.js';
import { passVariables } from './pass-variables.js';
import type { Session } from './session.js';

/**
 * Writes the plan of a sweep that has been checked.
 * @throws UsageError if nothing is left of its owner's month
 */
export async function planSweep(sweep: ResolvedSweep): Promise<WrittenPlan> {
  const { resultsPath } = sweep.project;
  await refuseSpentMonth(sweep);
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
  await noteAction(
    session.engine.resultsPath,
    { verb: plan.regrade?.or_run === false ? 'regrade' : 'start', sweep: plan.sweep },
    session.report,
  );
  // Only once the engine is running: if the command gave up before, the values would be left on disk.
  await passVariables(session, plan, stored, sweepEnvFrom(environment, variables));
  await startSweep(session, plan, 1);
}

interface BeginOptions {
  /** Shows progress of the engine, and warnings. */
  report: (text: string) => void;
  /** The Temporal server to use. */
  address?: string;
  /** Called once the plan is written: opens the session by `open`, which starts the engine and may take minutes. */
  connecting?: (plan: Plan, open: () => Promise<Session>) => Promise<Session>;
}

/** Writes the plan of a sweep that has been checked, brings up its engine, and starts it. */
export async function beginSweep(
  sweep: ResolvedSweep,
  { report, address, connecting = (_plan, open) => open() }: BeginOptions,
): Promise<{ plan: Plan; session: Session }> {
  const { resultsPath } = sweep.project;
  const options = address === undefined ? {} : { address };
  const written = await planSweep(sweep);
  const session = await connecting(written.plan, async () => {
    // The engine begins while the client is being loaded.
    const begun = isMirror(resultsPath) ? null : beginEngine({ resultsPath, ...options });
    const [{ openSession }] = await Promise.all([import('./session.js'), begun]);
    return openSession(resultsPath, report, options);
  });
  try {
    await startPlanned(session, written, sweep);
  } catch (error) {
    await session.close();
    throw error;
  }
  return { plan: written.plan, session };
}
