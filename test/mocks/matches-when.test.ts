import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, contains } from '../../src/lib/json.js';
import type { Call, When } from '../../src/mocks/call.js';
import { matchesWhen, specificity } from '../../src/mocks/choose-mock.js';
import { evaluateMatcher, matcherProblem } from '../../src/mocks/matcher.js';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const map = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), json);
/** A value as JSON carries it: one kind of zero, and own keys only. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const CALL: Call = { args: ['x', { repo: 'r', page: 1 }], input: 'x', context: { action: 'READ', turn: 2 } };
const matches = (when: When, call: Partial<Call> = {}) => matchesWhen(when, { ...CALL, ...call });

describe('what is wanted', () => {
  it('is in an equal value, and in a map with more keys at any depth', () => {
    fc.assert(
      fc.property(json, map, map, (value, first, second) => {
        expect(contains(asJson(value), asJson(value))).toBe(true);
        const wanted = asJson({ inner: first });
        const given = asJson({ inner: { ...second, ...first }, other: value });
        expect(contains(given, wanted)).toBe(true);
      }),
    );
  });

  it('is not in a value that lacks a key or has another value for it', () => {
    fc.assert(
      fc.property(map, json, (first, value) => {
        const given = asJson(first);
        expect(contains(given, { ...given, extra: value })).toBe(false);
        expect(contains({ ...given, extra: [value] }, { extra: [value, value] })).toBe(false);
      }),
    );
    expect(contains({}, { constructor: null })).toBe(false);
    expect(contains(['a', 'b'], ['a'])).toBe(false);
    expect(contains('abc', 'b')).toBe(false);
    expect(contains(undefined, null)).toBe(false);
  });
});

describe('when', () => {
  it('has arguments that must be equal at every depth, in whatever order keys are written', () => {
    expect(matches({ args: ['x', { page: 1, repo: 'r' }] }).matches).toBe(true);
    expect(matches({ args: ['x', { repo: 'r' }] }).matches).toBe(false);
    expect(matches({ args: ['x'] }).matches).toBe(false);
  });

  it('has partial arguments, each of which must match some argument', () => {
    expect(matches({ partialArgs: [{ repo: 'r' }, 'x'] }).matches).toBe(true);
    expect(matches({ partialArgs: [{ repo: 'r' }, 'y'] }).matches).toBe(false);
    expect(matches({ partialArgs: [] }).matches).toBe(true);
  });

  it('is true only if each of its parts is', () => {
    const parts: { [part in keyof Required<When>]: [right: When[part], wrong: When[part]] } = {
      args: [CALL.args, ['y']],
      partialArgs: [['x'], ['y']],
      input: [{ repo: 'r' }, { repo: 's' }],
      context: [{ turn: 2 }, { turn: 3 }],
      matcher: ['context.action === "READ"', 'args.length === 3'],
    };
    const names = Object.keys(parts) as (keyof typeof parts)[];
    fc.assert(
      fc.property(fc.subarray(names), fc.subarray(names), (given, wrong) => {
        const when = Object.fromEntries(given.map((name) => [name, parts[name][wrong.includes(name) ? 1 : 0]]));
        const expected = given.every((name) => !wrong.includes(name));
        expect(matches(when as When, { input: { repo: 'r', more: 1 } }).matches).toBe(expected);
      }),
    );
  });

  it('gives points for its parts', () => {
    const all: When = { args: [], input: {}, context: {}, matcher: 'true', partialArgs: [] };
    expect(specificity(all)).toBe(30);
    const points = (Object.keys(all) as (keyof When)[]).map((part) => specificity({ [part]: all[part] }));
    expect(points).toEqual([10, 8, 6, 4, 2]);
    expect(specificity({})).toBe(0);
  });
});

describe('a matcher with placeholders', () => {
  const call: Call = {
    args: [12, "it's === 'x'"],
    input: { type: 'test', flag: false, zero: 0, empty: '', nested: { list: ['a'] } },
    context: { action: 'READ' },
  };

  it.each([
    ["${input.type} === 'test'", true],
    ['${input.type} === "test"', true],
    ["'${input.type}' == 'test'", true],
    ['${input.type} == test', true],
    ["${input.type} !== 'test'", false],
    ['${args[0]} > 10', true],
    ['${args[0]} >= 12', true],
    ['${args[0]} < 9', false],
    ["${args[0]} === '12.0'", true],
    ['10 <= ${ args[0] }', true],
    ["${input.nested.list[0]} === 'a'", true],
    ["${context.action} != 'WRITE'", true],
    ["${input.missing} === 'undefined'", true],
    ['${input.type} > 1', false],
    ['${input.type}', true],
    ['${input.flag}', false],
    ['${input.zero}', false],
    ['${input.empty}', false],
    ['${input.missing}', false],
    // JavaScript that compares with a text that looks like a placeholder
    ['args[0] === "${HOME}"', false],
    ['args[1] !== "${args[1]} && ${x}"', true],
    // An operator in a value decides nothing.
    ["${args[1]} === 'x'", false],
    ['${args[1]}', true],
  ])('%s', (matcher, expected) => {
    expect(matcherProblem(matcher)).toBeNull();
    expect(matchesWhen({ matcher }, call)).toEqual({ matches: expected, matcherError: null });
  });

  it.each([
    "${input.type} === 'a' && ${args[0]} > 1",
    '${args[0]} || ${args[1]}',
    '!${input.flag}',
    '1 < ${args[0]} < 3',
    '${process.env.HOME}',
    '${input.type === 1}',
    '${}',
  ])('%s is refused', (matcher) => {
    expect(matcherProblem(matcher)).toMatch(/^expected (one|a) comparison/);
  });
});

describe('a matcher', () => {
  it('that throws does not match, and says why', () => {
    const { matches: found, matcherError } = matches({ matcher: 'args[5].name === "x"' });
    expect(found).toBe(false);
    expect(matcherError).toContain('TypeError');
    expect(matches({ matcher: 'true' })).toEqual({ matches: true, matcherError: null });
  });

  it('is evaluated only if all other parts are true', () => {
    expect(matches({ args: ['y'], matcher: 'missing' })).toEqual({ matches: false, matcherError: null });
  });

  it('cannot change the call', () => {
    const args = [{ a: 1 }];
    expect(evaluateMatcher('(args[0].a = 2, args.push(3), true)', { ...CALL, args })).toBe(true);
    expect(args).toEqual([{ a: 1 }]);
  });

  it('is checked without being run, and must be one expression', () => {
    for (const right of ['true', 'args.some((a) => a === "x") // why', '`${input}`', '/[)]/.test(args[0])'])
      expect(matcherProblem(right), right).toBeNull();
    for (const wrong of [
      '',
      'return 1',
      'a; b',
      '1); globalThis.planted = 1; (2',
      '1]; x(); [2',
      '() => 1',
      'x => x',
      '}',
      '"',
    ])
      expect(matcherProblem(wrong), wrong).toContain('expected a JavaScript expression');
    expect(matcherProblem('globalThis.planted = true')).toBeNull();
    expect('planted' in globalThis).toBe(false);
  });

  it('never makes the check itself fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const problem = matcherProblem(text);
        expect(problem === null || problem.startsWith('expected')).toBe(true);
      }),
    );
  });
});
