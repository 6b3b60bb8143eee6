import proto from '@temporalio/proto';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec, DataConverter } from '@temporalio/common';
import { InfrastructureError, UsageError } from '#lib';
import { CODEC_KEYS, type CodecKey, readCodecKeys } from './codec-keys.js';

/**
 * The encoding of payloads of every client and worker. The codec is used even without keys, so that a worker fails on
 * an encrypted payload instead of treating it as missing.
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

const { Payload: Message } = proto.temporal.api.common.v1;

/** The names that Temporal's examples use, so that its tools recognise them. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts payloads with the first key. Decrypts payloads of all keys, and returns unencrypted ones, from before
 * encryption was switched on, unchanged. `readAgain` is called for a key that is unknown, which may have been added
 * since.
 */
export function encryptingCodec(keys: readonly CodecKey[], readAgain = (): CodecKey[] => []): PayloadCodec {
  const [first] = keys;
  let known = keys;
  const keyOf = (id: string): CodecKey => {
    const find = (): CodecKey | undefined => known.find((key) => key.id === id);
    if (find() === undefined) known = [...keys, ...readAgain()];
    const key = find();
    if (key === undefined) throw unknownKey(id);
    return key;
  };
  return {
    encode: (payloads) =>
      Promise.resolve(first === undefined ? payloads : payloads.map((payload) => encrypt(first, payload))),
    // Not `Promise.resolve`: an error must reject.
    // eslint-disable-next-line @typescript-eslint/require-await
    decode: async (payloads) =>
      payloads.map((payload) => {
        if (textOf(payload, 'encoding') !== ENCODING) return payload;
        return decrypt(keyOf(textOf(payload, KEY_ID)), payload);
      }),
  };
}

/** Layout of the data: IV, ciphertext of the whole payload, tag. */
function encrypt({ id, key }: CodecKey, payload: Payload): Payload {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(id));
  const body = [cipher.update(Message.encode(payload).finish()), cipher.final()];
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([iv, ...body, cipher.getAuthTag()]),
  };
}

function decrypt({ id, key }: CodecKey, { data }: Payload): Payload {
  const bytes = Buffer.from(data ?? []);
  if (bytes.length < IV_BYTES + TAG_BYTES) throw notEncryptedWith(id);
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(id))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const body = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return Message.decode(Buffer.concat(body));
  } catch {
    throw notEncryptedWith(id);
  }
}

/**
 * The authenticated data besides the payload. Not the workflow: Temporal's Web UI does not say which one a payload is
 * from when it asks to decode it. Proofs of origin detect a payload that was moved.
 */
const boundTo = (id: string): Buffer => Buffer.from(`llm-tool-test payload 1\0${id}`);

const textOf = ({ metadata }: Payload, field: string): string => Buffer.from(metadata?.[field] ?? []).toString();

// These messages are stored by Temporal when a worker fails with them, so they name no path.
const unknownKey = (id: string): Error =>
  new InfrastructureError(
    `a payload is encrypted with the key '${id.slice(0, 64)}', which is not known here; add that key to the file that ${CODEC_KEYS} names`,
  );

const notEncryptedWith = (id: string): Error =>
  new InfrastructureError(
    `a payload cannot be decrypted with the key '${id}': it was changed, or another key has the same id; check the file that ${CODEC_KEYS} names`,
  );
