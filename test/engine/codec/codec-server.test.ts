import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CodecKey } from '../../../src/engine/codec/codec-keys.js';
import { codecServer, secretPath } from '../../../src/engine/codec/codec-server.js';
import { encryptingCodec } from '../../../src/engine/codec/encrypting-codec.js';

const KEY: CodecKey = { id: 'k1', key: randomBytes(32) };
const CLOUD = 'https://cloud.temporal.io';
const path = secretPath(KEY);
let server: Server;
let base: string;
beforeAll(async () => {
  server = codecServer({ keys: [KEY], path, origins: [CLOUD] });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const base64 = (text: Uint8Array | string): string => Buffer.from(text).toString('base64');
const post = (to: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${base}${to}`, { method: 'POST', body, headers });
const ONE = { metadata: { encoding: base64('json/plain') }, data: base64('"the prompt"') };

test('decodes what a worker has encoded, and encodes what a worker can decode', async () => {
  const encoded = await post(`${path}/encode`, JSON.stringify({ payloads: [ONE] }));
  const document = (await encoded.json()) as { payloads: (typeof ONE)[] };
  const [payload] = document.payloads;
  const asWorker = await encryptingCodec([KEY]).decode([
    {
      metadata: Object.fromEntries(
        Object.entries(payload?.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(payload?.data ?? '', 'base64'),
    },
  ]);
  expect(String(asWorker[0]?.data)).toBe('"the prompt"');
  const decoded = await post(`${path}/decode`, JSON.stringify(document));
  expect(await decoded.json()).toEqual({ payloads: [ONE] });
});

test.each(['http://127.0.0.1:8233', 'http://localhost:8080', CLOUD])(
  'a browser may use it from a page of %s',
  async (origin) => {
    const preflight = await fetch(`${base}${path}/decode`, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-namespace');
    const answer = await post(`${path}/decode`, '{"payloads":[]}', { origin });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  },
);

test.each([
  'https://evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost:8080.evil.example',
  'https://cloud.temporal.io.evil.example',
  'null',
])('refuses pages of %s', async (origin) => {
  const answer = await post(`${path}/decode`, JSON.stringify({ payloads: [ONE] }), { origin });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('answers nothing without the secret path', async () => {
  for (const at of ['/decode', '/encode', '/', `/${'0'.repeat(32)}/decode`])
    expect((await post(at, '{"payloads":[]}')).status).toBe(404);
});

test('says what is wrong with a request', async () => {
  expect((await fetch(`${base}${path}/decode`)).status).toBe(405);
  for (const body of ['', '[]', '{}', '{"payloads":[1]}', '{"payloads":[{"metadata":{"encoding":1}}]}'])
    expect([body, (await post(`${path}/decode`, body)).status]).toEqual([body, 400]);
  const metadata = { encoding: base64('binary/encrypted'), 'encryption-key-id': base64('k0') };
  const unknown = await post(`${path}/decode`, JSON.stringify({ payloads: [{ metadata, data: '' }] }));
  expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining("encrypted with the key 'k0'")]);
  const large = await post(`${path}/decode`, ' '.repeat(5 * 1024 * 1024)).catch(() => null);
  expect(large?.status ?? 400).toBe(400);
});
