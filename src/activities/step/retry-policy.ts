import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Metrics, StepEnd } from '#engine';
import { MachineGone } from '#environments';
import { createMemory, EnvFileProblem, type Memory } from '#host';
import { type Limits, LIMITS, messageOf } from '#lib';
import { gateEndIn } from '#protocol';
import { heartbeating } from './heartbeat.js';
import { withAdvice, DISK_FAILURE, STORE_AWAY } from './error-advice.js';
import type { Deps } from './deps.js';

/**
 * The most attempts of a step that fails by itself or whose worker is lost. Waiting for a disk, the
 * shared results or a provider is not counted.
 */
const MAX_TRIES = 8;
const TRIES: Readonly<Record<string, number>> = {
  // They decide by the kind of failure how often to ask again (ask/collect-votes.ts).
  judgeRun: 50,
  askGate: 50,
  simulateUser: 50,
  endConversation: 50,
  // Without these the sweep cannot continue.
  loadCells: Infinity,
  findEndedRuns: Infinity,
  finishSweep: Infinity,
  planScheduled: Infinity,
  reportScheduled: Infinity,
  // Hosts that cannot run a cell decline it until one can.
  placeCell: Infinity,
  readSigns: Infinity,
  endLostRuns: Infinity,
  // Nobody would wake a run whose signal was dropped.
  verifyOrder: Infinity,
  verifyParked: Infinity,
  verifyWake: Infinity,
};

/**
 * Steps whose attempts adopt what the attempt before has started and paid for. For these, lost workers are not counted:
 * an agent that is alive is never given up because of them, and the number of its starts has its own limit
 * (agent/supervise-agent.ts). A build goes on, too, when the worker dies that follows it.
 */
const ADOPTED: ReadonlySet<string> = new Set(['runAgent', 'buildImage']);

/** Steps that make another machine if that of the run is gone. All others need what the run has done in it. */
const REPLACES_MACHINE: ReadonlySet<string> = new Set(['prepareWorkspace', 'runAgent']);

/** Failure type of a step that waits for a slot of its host. */
export const NO_SLOT = 'NoSlot';
/** Failure type of a step that waits until the env file of its worker can be read again. */
const ENV_FILE = 'env_file';
/** Failures that are waited out, because nothing is wrong with the step. */
const WAITED_OUT: ReadonlySet<string> = new Set([
  ...[DISK_FAILURE, STORE_AWAY, ENV_FILE, NO_SLOT],
  ...['rate_limited', 'unavailable'],
]);
/** Failures whose message says since when the step waits. */
const SAYS_SINCE: ReadonlySet<string> = new Set([DISK_FAILURE, STORE_AWAY, ENV_FILE]);
const FIRST_DELAY_MS = 1000;

/**
 * The history of earlier attempts. The server passes it to the next attempt, as the details of the last heartbeat.
 */
interface EarlierAttempts {
  /** The number of them that waited for a disk or a provider. */
  times?: number;
  why?: string;
  /** ISO 8601 */
  since?: string;
  /** The number of them that failed by themselves; lost workers are not counted. */
  failed?: number;
}

const before = (): EarlierAttempts => (Context.current().info.heartbeatDetails as EarlierAttempts | undefined) ?? {};

/** Number of this attempt, without those that waited for a disk or a provider. */
export const ownAttempt = (): number => Context.current().info.attempt - (before().times ?? 0);

/** When this step began to wait, ms since the epoch; now if it has not waited. */
export const waitingSince = (): number => Date.parse(before().since ?? new Date().toISOString());

/**
 * Returns the activities with heartbeats, a retry policy and explanations in system errors. A disk that cannot be
 * written and shared results that cannot be reached are waited for without limit. Other failures are final after a
 * number of attempts, so that a bug is not retried forever.
 */
export function withRetryPolicy<T extends Record<string, (...args: never[]) => Promise<unknown>>>(
  { resultsPath, stateFolder, metrics, limits = LIMITS, memory = createMemory() }: Deps & { memory?: Memory },
  activities: T,
): T {
  const own = [stateFolder, resultsPath, join(resultsPath, '.store')];
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...args: never[]) =>
      memory.during(() =>
        measured(metrics, name, () =>
          retrying(name, limits, () => withAdvice(() => heartbeating(() => activity(...args)), own)),
        ),
      ),
  ]);
  return Object.fromEntries(wrapped) as T;
}

/** Measures an attempt of a step. */
async function measured<R>(metrics: Metrics | undefined, name: string, perform: () => Promise<R>): Promise<R> {
  const startedAt = performance.now();
  const end = (result: StepEnd): void => metrics?.stepEnded(name, result, performance.now() - startedAt);
  try {
    const value = await perform();
    end('done');
    return value;
  } catch (error) {
    const { type } = error as ApplicationFailure;
    if (gateEndIn(error) !== null) end('done');
    else if (typeof type === 'string' && WAITED_OUT.has(type)) end('waiting');
    else end(Context.current().cancellationSignal.aborted ? 'stopped' : 'failed');
    throw error;
  }
}

async function retrying<R>(name: string, limits: Limits, perform: () => Promise<R>): Promise<R> {
  // A local activity is tried once, and then as a regular activity.
  if (Context.current().info.isLocal) return perform();
  const tries = TRIES[name] ?? MAX_TRIES;
  const { failed = 0 } = before();
  const number = ADOPTED.has(name) ? failed + 1 : ownAttempt();
  if (number > tries)
    throw ApplicationFailure.nonRetryable(`gave up after ${tries} attempts, none of which finished`, 'GivenUp');
  try {
    return await perform();
  } catch (caught) {
    if (gateEndIn(caught) !== null) throw caught;
    const error =
      caught instanceof EnvFileProblem
        ? ApplicationFailure.create({ type: ENV_FILE, message: caught.message })
        : caught;
    const { type } = error as ApplicationFailure;
    if (error instanceof ApplicationFailure && type != null && WAITED_OUT.has(type)) throw waitOut(error, type, limits);
    // A worker that shuts down ends its attempts, which is not a failure of the step.
    if (Context.current().cancellationSignal.aborted) throw error;
    if (error instanceof MachineGone && !REPLACES_MACHINE.has(name))
      throw ApplicationFailure.nonRetryable(error.message, 'MachineGone');
    if (number < tries) {
      if (ADOPTED.has(name)) carry({ failed: failed + 1 });
      throw error;
    }
    const message = messageOf(error);
    throw ApplicationFailure.nonRetryable(message, type ?? 'GivenUp');
  }
}

/**
 * Records the wait for the next attempt, and returns the failure to throw. Some say since when the step waits.
 */
function waitOut(failure: ApplicationFailure, why: string, { waitedOutMs }: Limits): ApplicationFailure {
  const { times: earlier = 0, ...last } = before();
  const times = earlier + 1;
  const since = (last.why === why ? last.since : undefined) ?? new Date().toISOString();
  carry({ times, why, since });
  if (!SAYS_SINCE.has(why)) return failure;
  return ApplicationFailure.create({
    type: why,
    message: `${failure.message} (waiting since ${since.slice(0, 19)}Z)`,
    nextRetryDelay: Math.min(FIRST_DELAY_MS * 2 ** Math.min(times - 1, 10), waitedOutMs),
  });
}

/** Passes this on to the next attempt: it is sent to the server before the failure is. */
const carry = (change: EarlierAttempts): void => Context.current().heartbeat({ ...before(), ...change });
