import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Json } from '../../src/lib/json.js';
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
      delayMs: 5,
      failedByChance: true,
      result: { code: 'FAILED_BY_CHANCE', message: 'Random mock failure' },
    });
  });

  it('answers if keys of its input and of the context match', () => {
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

  it('has the input of all its arguments: keys of maps, and texts and numbers by position', () => {
    const given = { args: ['octo', { path: 'a.md', ref: 'x' }, 7, { ref: 'main' }, true, null, ['z']] };
    const answers = (input: Record<string, string | number>) =>
      answer([{ when: { input } }], 0.9, given).answer !== null;
    expect(answers({ arg0: 'octo', path: 'a.md', ref: 'main', arg2: 7 })).toBe(true);
    expect(answers({ arg1: 'octo' })).toBe(false);
    expect(answers({ ref: 'x' })).toBe(false);
    const responseFn = '${input.arg0}/${input.path}@${input.ref} ${input.arg2}${input.arg4}${input[0]}';
    expect(answer([{ responseFn }], 0.9, given).answer?.result).toEqual({
      kind: 'returns',
      value: 'octo/a.md@main 7',
    });
  });

  it('has partial arguments, which are the first ones in this order', () => {
    const answers = (partialArgs: Json[], args: Json[]) =>
      answer([{ when: { partialArgs } }], 0.9, { args }).answer !== null;
    expect(answers(['a', { id: 1 }], ['a', { id: 1, more: 2 }, 'c'])).toBe(true);
    expect(answers(['a', 'b'], ['b', 'a'])).toBe(false);
    expect(answers(['b'], ['a', 'b'])).toBe(false);
    expect(answers(['a', 'b'], ['a'])).toBe(false);
    expect(answers([null], [])).toBe(false);
    expect(answers([], [])).toBe(true);
  });

  it('knows the number of its arguments, and if one is an object', () => {
    const answers = (context: object, args: Json[]) => answer([{ when: { context } }], 0.9, { args }).answer !== null;
    expect(answers({ argsCount: 2, hasObjectArgs: false }, ['a', null])).toBe(true);
    expect(answers({ hasObjectArgs: true }, ['a', {}])).toBe(true);
    expect(answers({ argsCount: 1 }, [])).toBe(false);
    const responseFn = '${context.argsCount} ${context.hasObjectArgs} ${context.timestamp}';
    const context = { timestamp: '2026-01-01T00:00:00.000Z' };
    expect(answer([{ responseFn }], 0.9, { context }).answer?.result).toEqual({
      kind: 'returns',
      value: '1 true 2026-01-01T00:00:00.000Z',
    });
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
