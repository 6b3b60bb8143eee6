import { DefaultFailureConverter } from '@temporalio/common';

/** Puts messages and stacks of failures into payloads, which are encrypted. The SDK loads it by its path. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
