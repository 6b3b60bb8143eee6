import { DefaultFailureConverter } from '@temporalio/common';

const { encodesFailures = false } = globalThis as { encodesFailures?: boolean };

/**
 * Failure converter of the workflows (scripts/build.js). If payloads are encrypted (engine/codec/worker-payloads.ts), messages and
 * stacks of failures become payloads too.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: encodesFailures });
