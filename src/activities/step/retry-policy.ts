import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { withAdvice, DISK_FAILURE } from './error-advice.js';
import type { Deps } from './deps.js';

/** So often a step is tried that fails by itself, or whose worker is lost. Waiting for a disk or a provider is not counted. */
const MAX_TRIES = 8;
const TRIES: Readonly<Record<string, number>> = {
  // How often is worth trying depends on what failed.
  judgeRun: 50,
  // Without these nothing of the sweep goes on.
  loadCells: Infinity,
  findEndedRuns: Infinity,
  finishSweep: Infinity,
};

/**
 * Steps whose attempts adopt what the attempt before has started, and paid for. Lost workers are not counted: an agent that
 * is alive is never given up for them, and how often it is started has a limit of its own (agent/starts.ts).
 */
const ADOPTED: ReadonlySet<string> = new Set(['runAgent']);

/** Failures that are waited out: nothing is wrong with the step. */
const WAITED_OUT: ReadonlySet<string> = new Set([DISK_FAILURE, 'rate_limited', 'unavailable']);
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** What became of earlier attempts. Carried from one to the next by the server, as the details of the last heartbeat. */
interface Before {
  /** How many have waited for a disk or a provider. */
  times?: number;
  why?: string;
  /** ISO 8601 */
  since?: string;
  /** How many have failed by themselves, where lost workers are not counted. */
  failed?: number;
}

const before = (): Before => (Context.current().info.heartbeatDetails as Before | undefined) ?? {};

/** Which attempt this is when those are not counted that waited for a disk or a provider. */
export const ownAttempt = (): number => Context.current().info.attempt - (before().times ?? 0);

/** Since when this step has been waiting, ms since the epoch; now, where it has not. */
export const waitingSince = (): number => Date.parse(before().since ?? new Date().toISOString());

/**
 * Activities whose failures of the machine are explained. A disk that takes nothing is waited for without limit; what fails
 * by itself is given up after a while, so that a bug is not tried for ever.
 */
export function withRetryPolicy<T extends Record<string, (...args: never[]) => Promise<unknown>>>(
  { resultsPath, stateFolder }: Deps,
  activities: T,
): T {
  const own = [stateFolder, resultsPath, join(resultsPath, '.store')];
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...args: never[]) => retrying(name, () => withAdvice(() => activity(...args), own)),
  ]);
  return Object.fromEntries(wrapped) as T;
}

async function retrying<R>(name: string, perform: () => Promise<R>): Promise<R> {
  // A local activity is tried once, and then by way of the server.
  if (Context.current().info.isLocal) return perform();
  const tries = TRIES[name] ?? MAX_TRIES;
  const { failed = 0 } = before();
  const number = ADOPTED.has(name) ? failed + 1 : ownAttempt();
  if (number > tries)
    throw ApplicationFailure.nonRetryable(
      `gave up after ${tries} attempts, none of which finished`,
      'GivenUp',
    );
  try {
    return await perform();
  } catch (error) {
    const { type } = error as ApplicationFailure;
    if (error instanceof ApplicationFailure && type != null && WAITED_OUT.has(type))
      throw waitOut(error, type);
    // A worker that shuts down ends its attempts: that is no failure of theirs.
    if (Context.current().cancellationSignal.aborted) throw error;
    if (number < tries) {
      if (ADOPTED.has(name)) carry({ failed: failed + 1 });
      throw error;
    }
    const message = error instanceof Error ? error.message : String(error);
    throw ApplicationFailure.nonRetryable(message, type ?? 'GivenUp');
  }
}

/** The failure, with since when it is waited for. */
function waitOut(failure: ApplicationFailure, why: string): ApplicationFailure {
  const { times: earlier = 0, ...last } = before();
  const times = earlier + 1;
  const since = (last.why === why ? last.since : undefined) ?? new Date().toISOString();
  carry({ times, why, since });
  if (why !== DISK_FAILURE) return failure;
  return ApplicationFailure.create({
    type: why,
    message: `${failure.message} (waiting since ${since.slice(0, 19)}Z)`,
    nextRetryDelay: Math.min(FIRST_DELAY_MS * 2 ** Math.min(times - 1, 10), LONGEST_DELAY_MS),
  });
}

/** Tells the next attempt: this goes to the server before the failure does. */
const carry = (change: Before): void => Context.current().heartbeat({ ...before(), ...change });
