import type { DataConverter } from '@temporalio/common';
import { UsageError } from '../../lib/errors/usage-error.js';
import { readCodecKeys, type CodecKey } from './codec-keys.js';
import { encryptingCodec } from './encrypting-codec.js';

/**
 * How every client and worker encodes payloads. Without keys too: a worker must fail to read an encrypted payload rather than take
 * it for none.
 *
 * @throws UsageError if the key file cannot be used
 */
export const dataConverter = (): DataConverter => ({
  payloadCodecs: [encryptingCodec(readCodecKeys(), keysNow)],
});

/** A key file that is being changed cannot be read for a moment; what then is unknown is reported as such. */
function keysNow(): CodecKey[] {
  try {
    return readCodecKeys();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
