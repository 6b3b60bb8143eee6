import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { post } from '../../src/activities/schedules/send-webhook.js';
import type { Firing } from '../../src/decide/documents/firing.js';

test('a name and a password in the address of a webhook are sent as a header', async () => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    received.push([request.url, request.headers.authorization ?? null]);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const firing = { id: 'f' } as unknown as Firing;
  expect(await post(`http://me:p%40ss@127.0.0.1:${port}/hook?a=b`, firing)).toBe('sent');
  expect(await post(`http://127.0.0.1:${port}/hook`, firing)).toBe('sent');
  expect(received).toEqual([
    ['/hook?a=b', `Basic ${Buffer.from('me:p@ss').toString('base64')}`],
    ['/hook', null],
  ]);
  server.close();
});
