import { beginningOf } from '#lib';
import type { E2b } from './find-e2b.js';
import { E2B_KEY } from './variables.js';

/** E2B refuses what a run asks for, and would refuse it again: its key or its template is wrong. */
export class E2bRefused extends Error {}

/** HTTP statuses of a request that is wrong by itself. */
const REFUSED = [400, 403, 404];
const MESSAGE_LENGTH = 300;

/** Returns an error that says what could not be done, and what to do about it. `what`: `create a sandbox`. */
export function explained(e2b: E2b, what: string, error: unknown): Error {
  const message = error instanceof Error ? messageOf(error) : String(error);
  if (error instanceof e2b.AuthenticationError)
    return new E2bRefused(
      `E2B refuses the key in ${E2B_KEY}: ${message}; set a valid key from https://e2b.dev/dashboard?tab=keys`,
    );
  const text = `cannot ${what}: ${message}`;
  const status = error instanceof e2b.SandboxError ? error.statusCode : undefined;
  return status !== undefined && REFUSED.includes(status) ? new E2bRefused(text) : new Error(text);
}

/** The reason of a failed request is in its cause. */
function messageOf({ message, cause }: Error): string {
  const reason = cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
  return beginningOf(reason.replaceAll(/\s+/g, ' ').trim(), MESSAGE_LENGTH);
}
