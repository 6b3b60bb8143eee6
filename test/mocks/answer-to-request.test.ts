import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { answerToRequest, type EndpointRequest } from '../../src/mocks/answer-to-request.js';
import { EndpointMock } from '../../src/mocks/endpoint-mock.js';
import { parseEndpoint, pathValues } from '../../src/mocks/endpoint.js';

type Written = Partial<z.input<typeof EndpointMock>>;

const REQUEST: EndpointRequest = {
  method: 'POST',
  path: '/users/7',
  query: { page: '2', tag: ['a', 'b'] },
  headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
  body: { name: 'Ann', address: { city: 'Bern' } },
  context: { step: 'agent', agent: 'mock', scenario: 's' },
};
const answer = (mocks: Written[], request: Partial<EndpointRequest> = {}, random = 0.999) =>
  answerToRequest(
    mocks.map((written) => EndpointMock.parse({ endpoint: 'POST /users/{id}', ...written })),
    { ...REQUEST, ...request },
    { random },
  ).answer;
const result = (written: Written) => answer([written])?.result;

describe('a mocked endpoint', () => {
  it('answers with JSON, text or nothing', () => {
    const json = result({ response: { id: '${args[0]}', list: [1, '${input.body.address}'] }, status: 201 });
    expect(json).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"7","list":[1,"{\\"city\\":\\"Bern\\"}"]}',
    });
    expect(result({ response: '${input.query.tag[1]} ${input.headers.authorization} ${context.step}' })).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'b Bearer x agent',
    });
    expect(result({ headers: { Location: '/x' }, status: 204 })).toEqual({
      status: 204,
      headers: { location: '/x' },
      body: '',
    });
    expect(result({ headers: { 'Content-Type': 'text/html' }, response: '<p>' })?.headers).toEqual({
      'content-type': 'text/html',
    });
    expect(result({ response: null })?.body).toBe('null');
  });

  it('answers with its error, and by chance with 503', () => {
    const mocks = [{ error: { code: 'GONE', message: 'no more' }, metadata: { probability: 0.5, delay: 1 } }];
    expect(answer(mocks)).toMatchObject({ delayMs: 1, result: { status: 500, body: 'GONE: no more\n' } });
    expect(answer(mocks, {}, 0.1)).toMatchObject({
      failedByChance: true,
      result: { status: 503, body: 'POST /users/{id}: failed by chance (probability 0.5)\n' },
    });
  });

  it('answers if path, query, headers and body have what is wanted', () => {
    const wanted = (input: Written['when']) => answer([{ when: input ?? {} }]) !== null;
    expect(wanted({ input: { path: { id: '7' }, query: { tag: ['a', 'b'] } } })).toBe(true);
    expect(wanted({ input: { headers: { Authorization: 'Bearer x' } } })).toBe(true);
    expect(wanted({ input: { body: { address: { city: 'Bern' } } } })).toBe(true);
    expect(wanted({ args: ['7'], partialArgs: ['7'], matcher: 'input.body.name === "Ann"' })).toBe(true);
    expect(wanted({ input: { path: { id: '8' } } })).toBe(false);
    expect(wanted({ input: { query: { tag: 'a' } } })).toBe(false);
    expect(wanted({ input: { headers: { authorization: 'bearer x' } } })).toBe(false);
    expect(wanted({ input: { body: { name: 'Bob' } } })).toBe(false);
    expect(wanted({ context: { step: 'gate 1' } })).toBe(false);
  });

  it('does not answer other methods and paths', () => {
    for (const request of [{ method: 'GET' }, { path: '/users' }, { path: '/users/7/' }, { path: '/users/' }])
      expect(answer([{}], request)).toBeNull();
  });
});

describe('an endpoint', () => {
  const segment = fc.string({ minLength: 1 }).filter((text) => !['.', '..'].includes(text));

  it('finds any value in the path, decoded', () => {
    fc.assert(
      fc.property(segment, segment, (first, second) => {
        const parsed = parseEndpoint('GET /a/{x}/b/{y}');
        if (!parsed.ok) throw new Error(parsed.message);
        const path = `/a/${encodeURIComponent(first)}/b/${encodeURIComponent(second)}`;
        expect(pathValues(parsed.endpoint, 'GET', path)).toEqual({ x: first, y: second });
      }),
    );
  });

  it('is not found in a path that is malformed', () => {
    const parsed = parseEndpoint('GET /{x}');
    if (!parsed.ok) throw new Error(parsed.message);
    expect(pathValues(parsed.endpoint, 'GET', '/%zz')).toBeNull();
    expect(pathValues(parsed.endpoint, 'GET', '/..%2f..%2fetc')).toEqual({ x: '../../etc' });
  });

  it('never makes the reader fail, and what it accepts matches its own path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseEndpoint(`GET /${text}`);
        if (!parsed.ok || text.includes('{')) return;
        expect(pathValues(parsed.endpoint, 'GET', `/${text}`)).toEqual({});
      }),
    );
  });
});
