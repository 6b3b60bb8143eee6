import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, type Client, type WorkflowHandle } from '@temporalio/client';
import { markUsed } from '../../platform/engine/ensure-engine.js';
import { buildSweepDocument, type SweepDocument } from '../../results/sweep-document.js';
import type { Plan } from '../../scenario/plan.js';
import { QUERIES, sweepWorkflowId, type SweepProgress, type SweepResult } from '../../workflows/protocol.js';
import { ownCommand } from '../own-name.js';
import { InfrastructureError } from '../usage-error.js';
import { liveView } from './live-view.js';
import { plainView } from './plain-view.js';
import { resultsOf } from './results-of.js';
import { steerBySignals, type Signals } from './signals.js';

export interface Following {
  client: Client;
  plan: Plan;
  resultsPath: string;
  stateFolder: string;
  /** Page of the sweep in the Web UI; null where that is not known. */
  uiUrl: string | null;
  signals: Signals;
}

export interface Followed {
  document: SweepDocument;
  /** A signal arrived: the sweep was paused or cancelled. */
  interrupted: boolean;
}

const POLL_MS = 250;
/** A question costs the server and the worker more than a look at a file does. */
const ASK_MS = 1000;
const ANSWER_MS = 2000;

type End = { status: SweepResult['status'] } | { lost: Error };

/** Shows a sweep until it ends or, paused by a signal, until its running agents have ended. */
export async function follow({
  client,
  plan,
  resultsPath,
  stateFolder,
  uiUrl,
  signals,
}: Following): Promise<Followed> {
  const handle = client.workflow.getHandle(sweepWorkflowId(plan.sweep));
  const view = process.stderr.isTTY ? liveView(client, plan, uiUrl) : plainView(plan.cells.length);
  steerBySignals(signals, handle, view);
  const results = resultsOf(resultsPath, plan.sweep);
  let end: End | null = null;
  const ended = handle.result().then(
    (result: SweepResult) => (end = { status: result.status }),
    (error: unknown) => (end = { lost: error instanceof Error ? error : new Error(String(error)) }),
  );
  const ending = (): End | null => end;

  let progress: SweepProgress | null = null;
  let askedAt = 0;
  try {
    while (ending() === null) {
      markUsed(stateFolder);
      if ((view.wantsProgress || signals.interrupted()) && Date.now() - askedAt >= ASK_MS) {
        progress = await askProgress(handle);
        askedAt = Date.now();
      }
      await view.show({ progress, results: results() });
      if (signals.interrupted() && progress?.status === 'paused' && progress.active.length === 0) break;
      await Promise.race([ended, sleep(POLL_MS)]);
    }
    await view.show({ progress: null, results: results() });
  } finally {
    signals.stop();
    view.done();
  }
  const last = ending();
  if (last !== null && 'lost' in last) throw new InfrastructureError(whyLost(last.lost, plan.sweep));
  const document = buildSweepDocument({
    sweep: plan.sweep,
    workflowId: handle.workflowId,
    uiUrl,
    status: last?.status ?? 'paused',
    maxUsd: plan.max_usd,
    cells: plan.cells,
    results: results(),
    resultsPath,
  });
  return { document, interrupted: signals.interrupted() };
}

/** What to do without the sweep's result. A server that is away says nothing of the sweep, which goes on with it. */
function whyLost(error: Error, sweep: string): string {
  const resume = ownCommand(`resume ${sweep}`);
  if (!(error instanceof ServiceError))
    return `the sweep's workflow ended without a result (${error.message}); ${resume} goes on with it`;
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  return `the Temporal server does not answer (${reason}); the sweep goes on when it is back: ${resume} follows it`;
}

/** null while no worker answers. */
async function askProgress(handle: WorkflowHandle): Promise<SweepProgress | null> {
  const late = new AbortController();
  const timeout = sleep(ANSWER_MS, null, { signal: late.signal }).catch(() => null);
  const answer = await Promise.race([
    handle.query<SweepProgress>(QUERIES.progress).catch(() => null),
    timeout,
  ]);
  late.abort();
  return answer;
}
