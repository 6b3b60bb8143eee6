import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileJsonPath } from '../../../src/gates/json/json-path.js';
import type { Json } from '../../../src/lib/json.js';

function find(path: string, value: Json): Json | undefined {
  const compiled = compileJsonPath(path);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.find(value);
}
function refusal(path: string): string | null {
  const compiled = compileJsonPath(path);
  return compiled.ok ? null : compiled.message;
}
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const key = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', "it's", 'a.b', '"', '\\'),
);
/** A name selector as RFC 9535 writes it: with JSON's escapes in double quotes, or in single quotes. */
const inDoubleQuotes = (name: string): string => `[${JSON.stringify(name)}]`;
const inSingleQuotes = (name: string): string =>
  `['${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}']`;

/** One step into a value: how it is written, and the value around `inner` that it leads through. */
const singularStep = fc.oneof(
  fc.tuple(key, fc.constantFrom(inDoubleQuotes, inSingleQuotes)).map(([name, write]) => ({
    written: write(name),
    around: (inner: Json): Json => Object.fromEntries([[name, inner]]),
  })),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/).map((name) => ({
    written: `.${name}`,
    around: (inner: Json): Json => Object.fromEntries([[name, inner]]),
  })),
  fc.array(json, { maxLength: 3 }).map((before) => ({
    written: `[${before.length}]`,
    around: (inner: Json): Json => [...before, inner],
  })),
  fc.array(json, { maxLength: 3 }).map((after) => ({
    written: `[-${after.length + 1}]`,
    around: (inner: Json): Json => [inner, ...after],
  })),
);
const steps = fc.array(singularStep, { maxLength: 5 });
const pluralStep = fc.constantFrom(
  '.*',
  '[*]',
  '[0:]',
  '[:1]',
  '[0,0]',
  '["a","b"]',
  '..a',
  '..[0]',
  '..*',
  '[?@]',
  '[?@.a == 1]',
);

it('a path of names and indexes gives the value that is there', () => {
  fc.assert(
    fc.property(steps, json, (path, value) => {
      const whole = path.reduceRight<Json>((inner, { around }) => around(inner), value);
      expect(find(`$${path.map(({ written }) => written).join('')}`, whole)).toEqual(value);
    }),
  );
});

it('a path is singular exactly where every step names one value', () => {
  fc.assert(
    fc.property(steps, fc.option(pluralStep), steps, (before, plural, after) => {
      const written = [...before.map((s) => s.written), plural ?? '', ...after.map((s) => s.written)].join('');
      const compiled = compileJsonPath(`$${written}`);
      expect(compiled).toMatchObject({ ok: true, singular: plural === null });
    }),
  );
});

it('a singular path never names two values, whatever the document', () => {
  fc.assert(
    fc.property(steps, json, (path, value) => {
      const found = find(`$${path.map(({ written }) => written).join('')}[?true == true]`, value);
      expect(found === undefined || Array.isArray(found)).toBe(true);
    }),
  );
});

it.each<[string, Json, Json]>([
  ['$', null, null],
  ['$.items[0].name', { items: [{ name: 'a' }] }, 'a'],
  ['$.items[*].name', { items: [{ name: 'a' }, { name: 'b' }] }, ['a', 'b']],
  ['$.items[*].name', { items: [{ name: 'a' }] }, ['a']],
  ['$..n', { a: { n: 1 }, n: 2 }, [2, 1]],
  ['$[1:]', [1, 2, 3], [2, 3]],
  ['$[?@.a == 1 && @.b == 2]', [{ a: 1, b: 2 }, { a: 1 }], [{ a: 1, b: 2 }]],
  [
    '$[?(@.a && @.b) && @.c]',
    [
      { a: 1, b: 2 },
      { a: 1, b: 2, c: 3 },
    ],
    [{ a: 1, b: 2, c: 3 }],
  ],
  ['$[?@.a || @.b || @.c]', [{ c: 1 }, { d: 1 }], [{ c: 1 }]],
  ['$[?value(@[0]) == 1]', [[1], [2]], [[1]]],
  ['$[?length(@.name) > 2 && search(@.name, "b")]', [{ name: 'abc' }, { name: 'b' }], [{ name: 'abc' }]],
])('%s in %j', (path, value, expected) => {
  expect(find(path, value)).toEqual(expected);
});

it.each<[string, Json]>([
  ['$.a', {}],
  ['$.a', [1]],
  ['$[0]', 'abc'],
  ['$[0]', { 0: 1 }],
  ['$[3]', [1]],
  ['$.length', [1]],
  ['$.__proto__', {}],
  ['$.*', []],
  ['$..a', {}],
])('%s finds nothing in %j', (path, value) => {
  expect(find(path, value)).toBeUndefined();
});

it.each([
  ['', 'the JSON path is blank'],
  ['items[0]', '"items[0]" is not a JSON path: it must begin with "$"'],
  ['$x', 'unexpected "x"'],
  ['$.', 'it ends too early'],
  ['$.a..', 'it ends too early'],
  ['$[0', 'it ends too early'],
  ['$[x]', 'unexpected "x]"'],
  ['$.a-b', `unexpected "-b"; names with more than letters, digits and "_" are written $['a-b']`],
  ['$[9007199254740992]', 'the index is too large'],
  ['$[::-9007199254740992]', 'the index is too large'],
  ['$[?size(@) == 1]', 'there is no function "size", only length, count'],
  ['$[?constructor(@) == 1]', 'there is no function "constructor"'],
  ['$[?length() == 1]', 'length() takes 1 argument(s)'],
  ['$[?match(@.a)]', 'match() takes 2 argument(s)'],
  ['$[?length(@.*) == 1]', 'length() takes a path that names one value at most'],
  ['$[?count(1) == 1]', 'count() takes a path'],
  ['$[?length(@.a)]', 'the result of length() must be compared'],
  ['$[?match(@.a, "x") == true]', 'match() cannot be compared'],
])('%j is refused', (path, message) => {
  expect(refusal(path)).toContain(message);
});

it('what the library would evaluate wrongly is refused, with another way to write it', () => {
  expect(refusal('$[?@.a && @.b && @.c]')).toContain('(a && b) && c');
  expect(refusal('$[?@.a == 1 || (@.b && @.c && @.d && @.e)]')).toContain('(a && b) && c');
  expect(refusal('$[?@[0] == 1]')).toContain('value(@[0]) == 1');
  expect(refusal('$.a[?@.b == $.c[0]]')).toContain('value(@[0]) == 1');
});

it('no text makes the compiler throw', () => {
  const fragment = fc.constantFrom(
    '$',
    '.',
    '..',
    '[',
    ']',
    '?',
    '@',
    '*',
    ':',
    '(',
    ')',
    '&&',
    '==',
    "'",
    '"',
    'a',
    '0',
    '-1',
    ' ',
    'length',
    '\\',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment).map((parts) => `$${parts.join('')}`),
  );
  fc.assert(
    fc.property(text, json, (path, value) => {
      const compiled = compileJsonPath(path);
      if (compiled.ok) compiled.find(value);
    }),
    { numRuns: 1000 },
  );
});
