import { ServiceError } from '@temporalio/client';
import { waitUntil } from '../../platform/wait-until.js';
import type { Outcome } from '../../results/schema.js';
import type { Plan } from '../../scenario/plan.js';
import { sweepWorkflowId, WORKFLOWS, type SweepInput } from '../../workflows/protocol.js';
import { SWEEP_ID } from '../../workflows/ui.js';
import type { Session } from '../session.js';

/** Starts the workflow of a plan; when it runs already, that one goes on. `again`: results that count as none. */
export async function startSweep(
  { client, engine }: Session,
  plan: Plan,
  round: number,
  again: Outcome[] = [],
): Promise<void> {
  const input: SweepInput = {
    sweep: plan.sweep,
    round,
    concurrency: plan.concurrency,
    caps: plan.caps,
    ...(again.length === 0 ? {} : { again }),
    ...(plan.max_usd === null ? {} : { maxUsd: plan.max_usd }),
  };
  const scenarios = [...new Set(plan.scenarios.map(({ name }) => name))].join(', ');
  const start = () =>
    client.workflow.start(WORKFLOWS.sweep, {
      workflowId: sweepWorkflowId(plan.sweep),
      taskQueue: engine.taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo: { round },
      typedSearchAttributes: [{ key: SWEEP_ID, value: plan.sweep }],
      staticSummary: `${plan.cells.length} cells of ${scenarios}`.slice(0, 200),
      // A dead worker's workflow task is given to the next one after so long.
      workflowTaskTimeout: '5 seconds',
    });
  // A server that has just been told of our search attributes learns of them a few seconds later.
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

const LEARNING_MS = 60_000;

const isUnknownAttribute = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.cause instanceof Error &&
  error.cause.message.includes('no mapping defined for search attribute');
