import type { DataConverter } from '@temporalio/common';
import { UsageError } from '#lib';
import { readCodecKeys, type CodecKey } from './codec-keys.js';
import { encryptingCodec } from './encrypting-codec.js';

/**
 * How every client and worker encodes payloads. The codec is used even without keys, so that a worker fails on an encrypted payload
 * instead of treating it as missing.
 *
 * @throws UsageError if the key file cannot be used
 */
export const dataConverter = (): DataConverter => ({
  payloadCodecs: [encryptingCodec(readCodecKeys(), keysNow)],
});

/** While a key file is being changed, it may be unreadable for a moment; its keys then count as unknown. */
function keysNow(): CodecKey[] {
  try {
    return readCodecKeys();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
