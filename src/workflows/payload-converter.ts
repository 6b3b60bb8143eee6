import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * What workflows read payloads with (scripts/build.js). Bytes that are no value, which anybody can send as the argument of a
 * signal, are `undefined`: an error would fail the workflow task again and again, before a handler could ignore them.
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
