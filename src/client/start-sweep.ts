import { ServiceError, type Client } from '@temporalio/client';
import { fairnessKey } from '#engine';
import { proveSweep, readBytes, waitUntil } from '#host';
import { sha256 } from '#lib';
import { lostSecsOf, SWEEP_ID, type SweepInput, sweepOrder, sweepTitle, sweepWorkflowId, WORKFLOWS } from '#protocol';
import type { Plan } from '#scenario';
import { notePaused, originKey, planFile, publishSweep, sharedProjectOf } from '#store';
import { callServer } from './call-server.js';
import type { Session } from './session.js';

/** The cells of a sweep that are run again although they have results. */
export type Rerun = Pick<SweepInput, 'again' | 'againCells'>;

/** The settings that a later round of a sweep has of its own. */
interface RoundSettings {
  rerun?: Rerun;
  /** The budget that the owner has now for a month; absent: that of the plan. */
  monthUsd?: number | null;
}

/** Starts the workflow of a plan, or joins it if it is running. */
export async function startSweep(
  session: Session,
  plan: Plan,
  round: number,
  { rerun = {}, ...budget }: RoundSettings = {},
): Promise<void> {
  const project = await sharedProjectOf(session.engine.resultsPath);
  if (project !== null) await publishSweep(project, plan.sweep);
  const order: Omit<SweepInput, 'sweep' | 'proof'> = {
    ...sweepOrder(plan, round, {
      shared: project !== null,
      external: session.engine.external,
      lostSecs: lostSecsOf(process.env),
      limits: session.limits,
      ...budget,
    }),
    ...rerun,
  };
  const input: SweepInput = { sweep: plan.sweep, ...order, proof: await proofOf(session, plan.sweep, order) };
  const begin = (client: Client) =>
    client.workflow.start(WORKFLOWS.sweep, {
      workflowId: sweepWorkflowId(plan.sweep),
      taskQueue: session.engine.taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo: { round },
      typedSearchAttributes: [{ key: SWEEP_ID, value: plan.sweep }],
      // Its runs and steps inherit it.
      ...(plan.owner === undefined ? {} : { priority: { fairnessKey: fairnessKey(plan.owner) } }),
      staticSummary: sweepTitle(plan),
      // After this time, a dead worker's workflow task is given to another worker.
      workflowTaskTimeout: '5 seconds',
    });
  await notePaused(session.engine.resultsPath, plan.sweep, false);
  const start = () => callServer(session, begin);
  // A server accepts newly registered search attributes only after a few seconds.
  const started = await waitUntil(
    () =>
      start().catch((error: unknown) => {
        if (isUnknownAttribute(error)) return null;
        throw error;
      }),
    LEARNING_MS,
    500,
  );
  if (started === null) await start();
}

/** Proves that this command starts the sweep, with the plan as it is now. */
async function proofOf(
  { engine: { resultsPath }, stateFolder }: Session,
  sweep: string,
  order: object,
): Promise<string> {
  const key = await originKey({ resultsPath, stateFolder });
  const planHash = sha256(readBytes(planFile(resultsPath, sweep)));
  return proveSweep(key, { sweep, planHash, order });
}

const LEARNING_MS = 60_000;

const isUnknownAttribute = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.cause instanceof Error &&
  error.cause.message.includes('no mapping defined for search attribute');
