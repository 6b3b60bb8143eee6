import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * Payload converter of the workflows (scripts/build.js). Decodes bytes that are not a valid value as `undefined`.
 * Anyone can send such bytes as the argument of a signal, and an error would fail the workflow task again and again,
 * before a handler could ignore them.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: (payload) => {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined as never;
    }
  },
};
