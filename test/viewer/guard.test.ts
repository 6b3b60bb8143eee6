import { expect, test } from 'vitest';
import { refusalOf } from '../../src/viewer/server/guard.js';

const GATE = { token: 'secret', port: 4000, origin: null };
const ASKED = {
  method: 'GET',
  path: '/api/sweeps',
  host: '127.0.0.1:4000',
  origin: undefined,
  authorization: 'Bearer secret',
};
const OWN = 'http://127.0.0.1:4000';
const status = (change: Partial<Parameters<typeof refusalOf>[0]>): number | null =>
  refusalOf({ ...ASKED, ...change }, GATE)?.status ?? null;

test('answers who has the token, at both names of this machine', () => {
  expect(status({})).toBeNull();
  expect(status({ host: 'localhost:4000', origin: 'http://localhost:4000' })).toBeNull();
  expect(status({ method: 'POST', origin: OWN })).toBeNull();
});

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['another one', 'Bearer wrong'],
  ['the beginning of it', 'Bearer secre'],
  ['it with more', 'Bearer secrets'],
  ['it without its scheme', 'secret'],
])('reads nothing with this token: %s', (_, authorization) => {
  expect(status({ authorization })).toBe(401);
  expect(status({ authorization, method: 'POST', origin: OWN })).toBe(401);
});

test.each([['example.org'], ['example.org:4000'], ['127.0.0.1'], ['127.0.0.1:4001'], [''], [undefined]])(
  'answers nothing, not even the page, to the host %s',
  (host) => {
    expect(status({ host })).toBe(403);
    expect(status({ host, path: '/' })).toBe(403);
  },
);

test.each([['http://example.org'], ['null'], ['http://127.0.0.1:4001'], ['https://127.0.0.1:4000']])(
  'answers nothing to the origin %s',
  (origin) => {
    expect(status({ origin })).toBe(403);
    expect(status({ origin, method: 'POST' })).toBe(403);
    expect(status({ origin, path: '/' })).toBe(403);
  },
);

test('changes nothing without an origin', () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) expect(status({ method })).toBe(403);
});

test('answers a proxy under its origin, and still needs the token', () => {
  const proxy = { ...GATE, origin: 'https://results.example.com' };
  const through = { ...ASKED, method: 'POST', host: 'results.example.com', origin: 'https://results.example.com' };
  expect(refusalOf(through, proxy)).toBeNull();
  expect(refusalOf({ ...through, authorization: '' }, proxy)?.status).toBe(401);
  expect(refusalOf({ ...through, origin: 'http://results.example.com' }, proxy)?.status).toBe(403);
  expect(refusalOf({ ...through, host: 'example.com' }, proxy)?.status).toBe(403);
  expect(refusalOf(through, GATE)?.status).toBe(403);
});
