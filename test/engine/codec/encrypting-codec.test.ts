import { randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CodecKey } from '../../../src/engine/codec/codec-keys.js';
import { encryptingCodec } from '../../../src/engine/codec/encrypting-codec.js';

const keyNamed = (id: string): CodecKey => ({ id, key: randomBytes(32) });
const OLD = keyNamed('old');
const NEW = keyNamed('new');

const bytes = fc.uint8Array({ maxLength: 300 });
const payload: fc.Arbitrary<Payload> = fc.record({
  metadata: fc
    .dictionary(fc.string({ maxLength: 20 }), bytes, { maxKeys: 4 })
    .map((fields) => ({ ...fields, encoding: Buffer.from('json/plain') })),
  data: bytes,
});
const plain = ({ metadata, data }: Payload): unknown => ({
  metadata: Object.entries(metadata ?? {})
    .map(([name, value]) => [name, Buffer.from(value).toString('hex')])
    .sort(),
  data: Buffer.from(data ?? []).toString('hex'),
});

test('decodes what it has encoded, also after the key was rotated', async () => {
  const before = encryptingCodec([OLD]);
  const after = encryptingCodec([NEW, OLD]);
  await fc.assert(
    fc.asyncProperty(fc.array(payload, { maxLength: 4 }), async (payloads) => {
      const encoded = await before.encode(payloads);
      expect((await after.decode(encoded)).map(plain)).toEqual(payloads.map(plain));
      expect((await after.decode(await after.encode(payloads))).map(plain)).toEqual(payloads.map(plain));
    }),
  );
});

test('leaves payloads unchanged that were written before encryption was switched on', async () => {
  await fc.assert(
    fc.asyncProperty(payload, async (one) => {
      expect(await encryptingCodec([NEW]).decode([one])).toEqual([one]);
      expect(await encryptingCodec([]).encode([one])).toEqual([one]);
    }),
  );
});

test('shows nothing of a payload but its length and the id of the key', async () => {
  const marker = 'the prompt of a scenario';
  const [one] = await encryptingCodec([NEW, OLD]).encode([
    { metadata: { encoding: Buffer.from(marker) }, data: Buffer.from(marker) },
  ]);
  expect(Buffer.from(one?.data ?? []).includes(marker)).toBe(false);
  expect(Object.entries(one?.metadata ?? {}).map(([name, value]) => [name, String(value)])).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', 'new'],
  ]);
});

test('encrypts the same payload differently each time', async () => {
  const codec = encryptingCodec([NEW]);
  const same = { metadata: {}, data: Buffer.from('x') };
  const data = (await codec.encode([same, same])).map((one) => Buffer.from(one.data ?? []).toString('hex'));
  expect(new Set(data).size).toBe(2);
});

test('refuses a payload that was changed in any bit, or shortened, or has the id of another key', async () => {
  const other = { ...keyNamed('other'), key: NEW.key };
  const codec = encryptingCodec([NEW, other]);
  await fc.assert(
    fc.asyncProperty(payload, fc.nat(), fc.nat(7), async (one, at, bit) => {
      const [encoded] = await codec.encode([one]);
      const data = Buffer.from(encoded?.data ?? []);
      const changed = Buffer.from(data);
      changed[at % data.length] = (changed[at % data.length] ?? 0) ^ (1 << bit);
      const refused = /cannot be decrypted with the key/;
      await expect(codec.decode([{ ...encoded, data: changed }])).rejects.toThrow(refused);
      await expect(codec.decode([{ ...encoded, data: data.subarray(0, at % data.length) }])).rejects.toThrow(refused);
      const metadata = { ...encoded?.metadata, 'encryption-key-id': Buffer.from('other') };
      await expect(codec.decode([{ metadata, data }])).rejects.toThrow(refused);
    }),
  );
});

test('names the key that is unknown, and looks for it again: it may have been added', async () => {
  const encoded = await encryptingCodec([NEW]).encode([{ metadata: {}, data: Buffer.from('x') }]);
  await expect(encryptingCodec([OLD]).decode(encoded)).rejects.toThrow(
    "a payload is encrypted with the key 'new', which is not known here; add that key to the file that LLM_TOOL_TEST_CODEC_KEYS names",
  );
  let file: CodecKey[] = [];
  const codec = encryptingCodec([OLD], () => file);
  await expect(codec.decode(encoded)).rejects.toThrow("the key 'new'");
  file = [OLD, NEW];
  expect(String((await codec.decode(encoded))[0]?.data)).toBe('x');
});

test('says that another key has the same id', async () => {
  const encoded = await encryptingCodec([NEW]).encode([{ metadata: {}, data: Buffer.from('x') }]);
  await expect(encryptingCodec([keyNamed('new')]).decode(encoded)).rejects.toThrow(
    "a payload cannot be decrypted with the key 'new': it was changed, or another key has the same id",
  );
});

test('keeps no more keys than the file has, however many payloads have an unknown key', async () => {
  const [unknown] = await encryptingCodec([NEW]).encode([{ metadata: {}, data: Buffer.from('x') }]);
  let looks = 0;
  const codec = encryptingCodec([OLD], () => [
    {
      ...keyNamed('other'),
      get id() {
        looks += 1;
        return 'other';
      },
    },
  ]);
  const failing = async () => {
    looks = 0;
    await expect(codec.decode([unknown as Payload])).rejects.toThrow('not known here');
    return looks;
  };
  await failing();
  const second = await failing();
  await failing();
  expect(await failing()).toBe(second);
});
