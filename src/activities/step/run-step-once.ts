import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { publishOnce, readSigned, readTextIfThere, sign } from '#host';
import { raiseFence, type Fence } from './fence.js';
import type { RunContext } from './run-context.js';
import { maskErrors } from './mask-errors.js';

/** Record of a step: its result, how long it took, and at which attempt it succeeded. */
export interface Manifest<T> {
  result: T;
  duration_ms: number;
  attempt: number;
  at: string;
}

/** What must be known of a run to read the results of its steps. */
export type StepStore = Pick<RunContext, 'state' | 'originKey' | 'run'>;

const manifestFile = ({ state }: Pick<StepStore, 'state'>, step: string): string =>
  join(state, 'steps', `${step.replaceAll(' ', '-')}.json`);

/**
 * Returns the record of a step, or null if it has not been performed.
 * @throws ApplicationFailure (non-retryable) if we did not write it: performing the step again would be no better, and
 * may be paid for twice
 */
export async function readStep<T>(context: StepStore, step: string): Promise<Manifest<T> | null> {
  const { originKey, run } = context;
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
  context: RunContext,
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
export const publishStep = (
  context: StepStore,
  step: string,
  manifest: Manifest<unknown>,
): Promise<boolean> =>
  publishOnce(
    manifestFile(context, step),
    sign(context.originKey, context.run.run, step, JSON.stringify(manifest)),
    0o600,
  );
