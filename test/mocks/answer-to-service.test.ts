import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { answerToService, type ServiceCall } from '../../src/mocks/answer-to-service.js';
import { ServiceMock } from '../../src/mocks/service-mock.js';

type Written = Partial<z.input<typeof ServiceMock>>;

const CALL: ServiceCall = {
  service: 'github',
  method: 'readFile',
  args: [{ path: 'notes.md', ref: 'main' }],
  context: { agentName: 'Eli', turn: 2 },
};
const answer = (mocks: Written[], random = 0.999, call: Partial<ServiceCall> = {}) =>
  answerToService(
    mocks.map((written) => ServiceMock.parse({ service: 'github', method: 'readFile', ...written })),
    { ...CALL, ...call },
    { random },
  );
const value = (written: Written) => answer([written]).answer?.result;

describe('a mocked method', () => {
  it('returns its response as it is, the filled in template, or nothing', () => {
    expect(value({ response: { text: '${args[0].path}' } })).toEqual({
      kind: 'returns',
      value: { text: '${args[0].path}' },
    });
    const responseFn = '{"read": "${input.path} of ${context.agentName} in turn ${context.turn}"}';
    expect(value({ responseFn, response: 'x' })).toEqual({
      kind: 'returns',
      value: { read: 'notes.md of Eli in turn 2' },
    });
    expect(value({})).toEqual({ kind: 'returns', value: undefined });
  });

  it('throws its error instead of a response', () => {
    const error = { code: 'NOT_FOUND', message: 'no such file' };
    const thrown = { kind: 'throws', code: 'NOT_FOUND', message: 'NOT_FOUND: no such file' };
    expect(value({ error, responseFn: 'x', response: 'y' })).toEqual({ ...thrown, status: null });
    expect(value({ error: { ...error, status: 404 } })).toEqual({ ...thrown, status: 404 });
  });

  it('fails by chance before its error, after its delay', () => {
    const metadata = { delay: 5, probability: 0.5 };
    const mocks = [{ metadata, error: { code: 'C', message: 'm' } }];
    expect(answer(mocks, 0.5).answer).toMatchObject({ delayMs: 5, failedByChance: false });
    expect(answer(mocks, 0.49).answer).toMatchObject({
      ...{ delayMs: 5, failedByChance: true },
      result: { message: 'github.readFile: failed by chance (probability 0.5)' },
    });
  });

  it('answers if keys of its first argument and of the context match', () => {
    const mocks = [
      { when: { context: { turn: 3 } } },
      { when: { context: { agentName: 'Eli' } } },
      { when: { input: { path: 'notes.md' } } },
      { when: { input: { path: 'other.md' } } },
    ];
    expect(answer(mocks).answer?.mock).toBe(2);
    expect(answer(mocks.slice(0, 2)).answer?.mock).toBe(1);
    expect(answer(mocks, 0.9, { args: [] }).answer?.mock).toBe(1);
  });

  it('leaves other methods and services to themselves', () => {
    expect(answer([{}], 0.9, { method: 'list' }).answer).toBeNull();
    expect(answer([{}], 0.9, { service: 'gitlab' }).answer).toBeNull();
  });

  it('reports each matcher that throws, and lets another mock answer', () => {
    const { answer: found, matcherErrors } = answer([{ when: { matcher: 'nothing.here' } }, {}]);
    expect(found?.mock).toBe(1);
    expect(matcherErrors).toEqual([{ mock: 0, message: 'ReferenceError: nothing is not defined' }]);
  });
});
