import { DefaultFailureConverter, defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';

const { encodesFailures = false } = globalThis as { encodesFailures?: boolean };

/**
 * Failure converter of the workflows (scripts/build.js). If payloads are encrypted (engine/codec/worker-payloads.ts),
 * messages and stacks of failures become payloads too.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: encodesFailures });

/**
 * Payload converter of the workflows (scripts/build.js). Decodes the argument of a signal or an update as `undefined`
 * if its bytes are not a valid value. Anyone can send such bytes, and an error would fail the workflow task again and
 * again, before a handler could ignore them. Results of activities and of other workflows must be valid.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: (payload, context) => {
    try {
      return defaultPayloadConverter.fromPayload(payload, context);
    } catch (error) {
      const isOurs = context?.type === 'workflow' && context.workflowId === ownId();
      if (!isOurs) throw error;
      return undefined as never;
    }
  },
};

const ownId = (): string | null => (inWorkflowContext() ? workflowInfo().workflowId : null);
