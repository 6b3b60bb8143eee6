import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { sharesHost } from '#environments';
import { isSmallTree, publishOnce, readSigned, readTextIfThere, sign } from '#host';
import { createEncodedMask, usableSecrets } from '#lib';
import { type Fence, raiseFence } from './fence.js';
import type { LoadedRun, RunIdentity, RunSecrets } from '../run/context.js';

/** Record of a step: its result, how long it took, and at which attempt it succeeded. */
export interface Manifest<T> {
  result: T;
  duration_ms: number;
  attempt: number;
  at: string;
}

/** The facts about a run that are needed to read the results of its steps. */
export type StepStore = Pick<RunIdentity, 'state' | 'originKey' | 'run' | 'unsaved'>;

const manifestFile = ({ state }: Pick<StepStore, 'state'>, step: string): string =>
  join(state, 'steps', `${step.replaceAll(' ', '-')}.json`);

/**
 * Returns the record of a step, or null if it has not been performed.
 * @throws ApplicationFailure (non-retryable) if we did not write it: performing the step again would be no better, and
 * may be paid for twice
 */
export async function readStep<T>(context: StepStore, step: string): Promise<Manifest<T> | null> {
  const { originKey, run, unsaved } = context;
  const kept = unsaved?.get(step);
  if (kept !== undefined) return kept as Manifest<T>;
  const text = await readTextIfThere(manifestFile(context, step));
  if (text === null) return null;
  const read = readSigned(originKey, run.run, step, text);
  if (read !== null) return JSON.parse(read) as Manifest<T>;
  throw ApplicationFailure.nonRetryable(`the result of step '${step}' was modified`, ALTERED);
}

/** Failure type of a manifest that is not as the harness wrote it. */
export const ALTERED = 'Altered';

/**
 * Performs a step and publishes its result, unless it has been published already. An attempt that comes second (it was
 * considered lost, or repeats a step whose answer was lost) uses the first one's result and repeats nothing.
 */
export async function runStepOnce<T>(
  context: RunIdentity & RunSecrets,
  step: string,
  perform: (fence: Fence) => Promise<T>,
): Promise<T> {
  const before = await readStep<T>(context, step);
  if (before !== null) return before.result;
  const startedAt = performance.now();
  const fence = await raiseFence(context, step);
  // From here on, no earlier attempt can publish a result; one may have done so since the check above.
  const meanwhile = await readStep<T>(context, step);
  if (meanwhile !== null) return meanwhile.result;
  const result = await maskErrors(context, () => perform(fence));
  await fence.check();
  const manifest: Manifest<T> = {
    result,
    duration_ms: Math.round(performance.now() - startedAt),
    attempt: Context.current().info.attempt,
    at: new Date().toISOString(),
  };
  if (await publishStep(context, step, manifest)) return result;
  return ((await readStep<T>(context, step)) ?? manifest).result;
}

/** Publishes the result of a step, signed. Returns false, and changes nothing, if it has one. */
export async function publishStep(context: StepStore, step: string, manifest: Manifest<unknown>): Promise<boolean> {
  const { originKey, run, unsaved } = context;
  if (unsaved === undefined)
    return publishOnce(manifestFile(context, step), sign(originKey, run.run, step, JSON.stringify(manifest)), 0o600);
  unsaved.set(step, manifest);
  return true;
}

/** Maximum length of a chain of causes. */
const MAX_DEPTH = 10;

/**
 * An error thrown by a step is stored in Temporal's history, with its causes, and may name files that an agent created.
 * Masks the run's secrets in it and nothing else, so that a person can still tell which path is meant.
 */
export async function maskErrors<T>({ secrets }: Pick<RunSecrets, 'secrets'>, perform: () => Promise<T>): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    throw maskedError(error, createEncodedMask(usableSecrets(secrets)), MAX_DEPTH);
  }
}

/** Returns the error itself with its texts masked; if it cannot be changed, a new error with the masked message. */
function maskedError(error: unknown, mask: (text: string) => string, depth: number): unknown {
  if (typeof error === 'string') return mask(error);
  if (typeof error !== 'object' || error === null) return error;
  const fields = error as Record<string, unknown>;
  try {
    for (const name of ['message', 'stack', 'path', 'dest']) {
      const text = fields[name];
      if (typeof text !== 'string' || mask(text) === text) continue;
      // Not assigned, because the message of a DOMException is read-only.
      Object.defineProperty(error, name, { value: mask(text), configurable: true, writable: true });
    }
    const { cause } = fields;
    if (cause === undefined) return error;
    const masked = depth === 0 ? undefined : maskedError(cause, mask, depth - 1);
    if (masked !== cause) Object.defineProperty(error, 'cause', { value: masked, configurable: true, writable: true });
    return error;
  } catch {
    return new Error(mask(String(fields['message'])));
  }
}

/** True if all that a run has made is on this machine, and little. */
export const isSmallRun = ({ handle, onServers, state }: LoadedRun): boolean =>
  sharesHost(handle) && onServers.databases.length === 0 && isSmallTree(state);

/**
 * Performs a step. Returns null without performing it if this is a local activity and the step is too much for a
 * workflow task; the workflow then runs it as a regular activity.
 */
export const runLocallyIfSmall = <R>(isQuick: () => boolean, perform: () => Promise<R>): Promise<R | null> =>
  Context.current().info.isLocal && !isQuick() ? Promise.resolve(null) : perform();
