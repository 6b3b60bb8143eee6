import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isJsonObject, parseJson } from '../../lib/json.js';
import { readSigned, sign } from '../../platform/origin.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import { publishOnce } from '../../platform/fs/write-file.js';
import { raiseFence, type Fence } from './fence.js';
import type { RunContext } from './run-context.js';
import { maskErrors } from './mask-errors.js';

/** What a step left: its result, how long it took, and at which attempt it succeeded. */
export interface Manifest<T> {
  result: T;
  duration_ms: number;
  attempt: number;
  /** When it ended, ISO 8601 UTC. */
  at: string;
}

const manifestFile = ({ state }: RunContext, step: string): string =>
  join(state, 'steps', `${step.replaceAll(' ', '-')}.json`);

/**
 * What a step left, or null when it has not been performed.
 * @throws ApplicationFailure, not to be tried again, for what we have not written: to perform the step once more may be paid
 * for twice, and would be no better.
 */
export async function readStep<T>(context: RunContext, step: string): Promise<Manifest<T> | null> {
  const { originKey, run, proven } = context;
  const text = await readTextIfThere(manifestFile(context, step));
  if (text === null) return null;
  const read = readSigned(originKey, run.run, step, text);
  if (read.status === 'signed') return JSON.parse(read.text) as Manifest<T>;
  // A step that an older build has performed.
  const unsigned = read.status === 'unsigned' && !proven ? parseJson(text) : undefined;
  if (isJsonObject(unsigned)) return unsigned as unknown as Manifest<T>;
  throw ApplicationFailure.nonRetryable(`what the step '${step}' left was altered`, ALTERED);
}

/** Type of the failure where a manifest is not as the harness wrote it. */
export const ALTERED = 'Altered';

/**
 * Performs a step unless it has been published, and publishes it. Who comes second (an attempt that was given up for
 * lost, or a retry after a lost answer) takes the first one's result and repeats nothing.
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
  // From here on no other attempt publishes; one may have done so since the look.
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
  const signed = sign(context.originKey, context.run.run, step, JSON.stringify(manifest));
  if (await publishOnce(manifestFile(context, step), signed, 0o600)) return result;
  return ((await readStep<T>(context, step)) ?? manifest).result;
}
