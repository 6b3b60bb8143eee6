import { type Client, type WorkflowExecutionStatusName, WorkflowNotFoundError } from '@temporalio/client';
import type { MeasuredRun } from '#engine';
import { waitUntil } from '#host';
import { assertNever, LIMITS, messageOf } from '#lib';
import { type RunRef, sweepWorkflowId } from '#protocol';
import { heartbeatNow, isPerformed } from '../step/heartbeat.js';
import { type OpenRunNote, openRunNotes, openRuns } from '../step/open-runs.js';
import type { Deps } from '../step/deps.js';
import { tearDownLeftovers } from '../teardown/tear-down.js';
import { endRun, hasLivingAgent } from './end-run.js';
import { freeUnusedSlots } from '../hosts/slot-supplier.js';
import { actionFor, type WorkflowAnswer, isOpen, type WorkflowIsOpen } from './action-for.js';
import { createLostSteps, giveUp, handedOut, type PendingStep, workersOn } from './fail-orphaned-activities.js';

/**
 * Runs without a living agent mostly wait for a provider. There may be many, so each round checks only this many of
 * them.
 */
const OTHERS_PER_ROUND = 50;
/** The interval at which tearing down leftovers is tried again. */
const LEFTOVERS_MS = 5 * 60_000;
/** The time that a step that is no longer wanted may take to end its commands. */
const STEP_ENDS_MS = 30_000;

/**
 * Takes care of runs that nobody else does: those whose workflows ended without a report (terminated, timed out, or
 * lost with the database), and those with a step that was given to a worker that does not perform it. Also tears down
 * again what is left of runs that have ended.
 */
export interface Watch {
  /**
   * Checks all open workflows of these task queues once, and then again and again the runs that this host has begun.
   */
  start: (...taskQueues: string[]) => Promise<void>;
  stop: () => void;
  /** Checks every run once; if `all` is false, only those with a living agent and some of the others. */
  round: (all: boolean) => Promise<void>;
  /** Checks the run of a workflow that may have ended. */
  look: (workflowId: string) => Promise<void>;
  /** Checks the cell's other runs, before another agent is started for the cell. */
  lookAtOthers: (run: RunRef) => Promise<void>;
}

/** `warn` is called with one line for each run that is ended or cannot be. */
export function watchRuns(deps: Deps, client: Client, warn: (line: string) => void): Watch {
  const { watchMs } = deps.limits ?? LIMITS;
  const lost = createLostSteps(workersOn(deps.host?.identity));
  let timer: NodeJS.Timeout | undefined;
  let turn = 0; // index at which the next round begins
  let leftoversAt = -Infinity; // when leftovers were last torn down, ms
  let stopped = false;

  /** Tells if a workflow is open. Also fails its steps that nobody performs, so that the server assigns them again. */
  async function open(workflowId: string, firstRunId?: string): Promise<WorkflowIsOpen> {
    const { answer, steps } = await ask(client, workflowId, deps.isOwnServer);
    await giveUp(client, workflowId, lost(steps));
    return isOpen(answer, firstRunId);
  }

  async function act(run: RunRef, known: { run: WorkflowIsOpen; sweep: WorkflowIsOpen }): Promise<void> {
    const action = actionFor(known);
    if (action === 'cancel') await client.workflow.getHandle(run.workflowId).cancel();
    if (action !== 'end') return;
    warn(`${run.run}: its workflow ${run.workflowId} has ended without a report; its agent is stopped`);
    // A running step would restore what is removed.
    heartbeatNow(run.workflowId);
    await waitUntil(() => (isPerformed(run.workflowId) ? null : true), STEP_ENDS_MS);
    await endRun(deps, run);
  }

  /** A run that cannot be ended now is checked again in the next round. */
  const guarded = async (run: RunRef, doing: () => Promise<void>): Promise<void> => {
    try {
      await doing();
    } catch (error) {
      warn(`${run.run}: cleanup failed: ${messageOf(error)}`);
    }
  };

  const lookAt = (run: RunRef): Promise<void> =>
    guarded(run, async () => act(run, { run: await open(run.workflowId, run.firstRunId), sweep: null }));

  async function round(all: boolean): Promise<void> {
    const notes = await openRunNotes(deps);
    deps.metrics?.openRuns(notes.map(measured));
    const runs = notes.map(({ run }) => run);
    const sweeps = new Map<string, WorkflowIsOpen>();
    for (const sweep of new Set(runs.map((run) => run.sweep))) sweeps.set(sweep, await open(sweepWorkflowId(sweep)));
    const chosen = new Set(Array.from({ length: OTHERS_PER_ROUND }, (_, index) => (turn + index) % runs.length));
    turn += OTHERS_PER_ROUND;
    for (const [index, run] of runs.entries()) {
      await guarded(run, async () => {
        const sweep = sweeps.get(run.sweep) ?? null;
        // A step that runs here learns by its heartbeats whether its workflow is open.
        const performed = isPerformed(run.workflowId);
        const isDue = all || chosen.has(index) || sweep === false;
        if (!performed && !isDue && !(await hasLivingAgent(deps, run))) return;
        await act(run, { run: performed || (await open(run.workflowId, run.firstRunId)), sweep });
      });
    }
  }

  /**
   * Has the server assign steps of earlier workers again, including those of sweeps and of runs that have not begun.
   */
  async function recoverSteps(taskQueue: string): Promise<void> {
    const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of client.workflow.list({ query })) await open(workflowId);
  }

  async function tearDownIfDue(): Promise<void> {
    if (performance.now() - leftoversAt < LEFTOVERS_MS) return;
    leftoversAt = performance.now();
    await tearDownLeftovers(deps, warn);
  }

  async function repeat(all: boolean): Promise<void> {
    await round(all)
      .then(() => (deps.host === undefined ? undefined : freeUnusedSlots(client, deps.host, deps.isOwnServer)))
      .then(tearDownIfDue)
      .catch((error: unknown) => warn(String(error)));
    if (!stopped) timer = setTimeout(() => void repeat(false), watchMs);
  }

  return {
    start: async (...taskQueues) => {
      for (const taskQueue of taskQueues) await recoverSteps(taskQueue).catch((error: unknown) => warn(String(error)));
      await repeat(true);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
    round,
    look: async (workflowId) => {
      for (const run of await openRuns(deps)) if (run.workflowId === workflowId) await lookAt(run);
    },
    lookAtOthers: async (own) => {
      for (const run of await openRuns(deps, own)) if (run.run !== own.run) await lookAt(run);
    },
  };
}

/** The metrics of an open run. The note of a wait may be older than the step that is performed now. */
const measured = ({ run: { cell, workflowId }, waiting }: OpenRunNote): MeasuredRun => ({
  agent: cell.agent,
  model: cell.model,
  waiting: isPerformed(workflowId) ? null : (waiting ?? null),
});

/**
 * Asks the server about a workflow. The answer is `unclear` if the server does not answer, or another one has taken its
 * port.
 */
async function ask(
  client: Client,
  workflowId: string,
  isOwnServer: Deps['isOwnServer'],
): Promise<{ answer: WorkflowAnswer; steps: PendingStep[] }> {
  try {
    const { status, runId, raw } = await client.workflow.getHandle(workflowId).describe();
    return {
      answer: answerOf(status.name, raw.workflowExecutionInfo?.firstRunId || null),
      steps: handedOut(runId, raw.pendingActivities ?? []),
    };
  } catch (error) {
    const isMissing = error instanceof WorkflowNotFoundError && (await isOwnServer());
    return { answer: { kind: isMissing ? 'missing' : 'unclear' }, steps: [] };
  }
}

function answerOf(status: WorkflowExecutionStatusName, firstRunId: string | null): WorkflowAnswer {
  switch (status) {
    case 'RUNNING':
    case 'PAUSED':
      return { kind: 'found', running: true, firstRunId };
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'TERMINATED':
    case 'TIMED_OUT':
      return { kind: 'found', running: false, firstRunId };
    case 'CONTINUED_AS_NEW': // its next execution is about to start
    case 'UNSPECIFIED':
    case 'UNKNOWN':
      return { kind: 'unclear' };
    default:
      return assertNever(status);
  }
}
