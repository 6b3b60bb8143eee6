import { beginningOf } from '#lib/pure';

/** Long enough to understand, short enough to cross Temporal again. The full text is in the history. */
const MESSAGE_LENGTH = 300;

/** Message of the root cause, shortened. Temporal's own wrappers say only that something failed. */
export function rootCauseMessage(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return beginningOf(message, MESSAGE_LENGTH);
}
