import { join } from 'node:path';
import { expect, test } from 'vitest';
import { viewerApp } from '../../src/viewer/server/app.js';
import type { EngineView } from '../../src/viewer/server/engine.js';

const PORT = 4000;
const HOST = `127.0.0.1:${PORT}`;
const OWN = `http://${HOST}`;
const TOKEN = 'Bearer the-token';

const engine: EngineView = {
  isUp: () => Promise.resolve(false),
  page: () => Promise.resolve(null),
  openRuns: () => [],
  doing: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};
const app = viewerApp({
  resultsPath: '/nowhere/results',
  token: 'the-token',
  port: () => PORT,
  origin: null,
  engine,
  variables: () => ({}),
  pages: join(import.meta.dirname, '../../src/viewer/pages'),
  warn: () => undefined,
});

/** Every route of the app, whatever is added to it, with names in place of its parameters. */
const ROUTES = app.routes
  .filter(({ method }) => method !== 'ALL')
  .map(({ method, path }): [method: string, path: string] => [method, path.replaceAll(/:\w+/g, 'any')]);
const API = ROUTES.filter(([, path]) => path.startsWith('/api/'));

const asked = async (method: string, path: string, headers: Record<string, string>) => {
  const answer = await app.request(`${OWN}${path}`, { method, headers: { host: HOST, ...headers } });
  return { status: answer.status, headers: answer.headers, answer };
};

test('there are routes that read and routes that change, and those of the page', () => {
  expect(API.filter(([method]) => method === 'GET').length).toBeGreaterThan(5);
  expect(API.filter(([method]) => method !== 'GET').length).toBeGreaterThan(0);
  expect(ROUTES.length).toBeGreaterThan(API.length);
});

test.each(API)('%s %s answers a stranger with a refusal and nothing else', async (method, path) => {
  const strangers: [number, Record<string, string>][] = [
    [401, {}],
    [401, { authorization: 'Bearer another' }],
    [401, { origin: OWN }],
    [403, { authorization: TOKEN, origin: 'http://evil.example' }],
    [403, { authorization: TOKEN, origin: 'null' }],
    [403, { authorization: TOKEN, origin: OWN, host: 'evil.example' }],
    ...(method === 'GET' ? [] : [[403, { authorization: TOKEN }] as [number, Record<string, string>]]),
  ];
  for (const [wanted, headers] of strangers) {
    const { status, answer, headers: given } = await asked(method, path, headers);
    expect({ headers, status }).toEqual({ headers, status: wanted });
    expect(Object.keys((await answer.json()) as object)).toEqual(['error']);
    expect([...given.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  const { status, answer } = await asked(method, path, { authorization: TOKEN, origin: OWN });
  expect([401, 403]).not.toContain(status);
  await answer.body?.cancel();
});

test.each(ROUTES)('%s %s may be framed, embedded or guessed by nobody', async (method, path) => {
  const { headers, answer } = await asked(method, path, { authorization: TOKEN, origin: OWN });
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  await answer.body?.cancel();
});

test('nobody can send more than a form has', async () => {
  const { status } = await app.request(`${OWN}/api/runs/any/review`, {
    method: 'PUT',
    headers: { host: HOST, authorization: TOKEN, origin: OWN },
    body: 'x'.repeat(1024 * 1024 + 1),
  });
  expect(status).toBe(413);
});
