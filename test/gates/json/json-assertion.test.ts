import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyAssertion, parseAssertion } from '../../../src/gates/json/json-assertion.js';
import type { Json } from '../../../src/lib/json.js';

/** null where the assertion holds, else the message of the parser or of the assertion. */
function objection(text: string, found: Json | undefined): string | null {
  const parsed = parseAssertion(text);
  if (!parsed.ok) return `refused: ${parsed.message}`;
  const applied = applyAssertion(parsed.assertion, found);
  return applied.ok ? null : applied.message;
}
/** Numbers beyond 2^53 are refused (below). */
const isExact = (value: Json): boolean =>
  typeof value === 'number'
    ? Math.abs(value) <= Number.MAX_SAFE_INTEGER
    : typeof value !== 'object' || value === null || Object.values(value).every(isExact);
const json = (fc.jsonValue() as fc.Arbitrary<Json>).filter(isExact);

it.each<[string, Json]>([
  ['exists', 0],
  ['exists', false],
  [' exists ', ''],
  ['equals 3.0', 3],
  ['equals "3"', '3'],
  ['equals hello world', 'hello world'],
  ['equals {"b":[1,{"c":null}],"a":2}', { a: 2, b: [1, { c: null }] }],
  ['equals null', null],
  ['equals {"__proto__":1}', JSON.parse('{"__proto__":1}') as Json],
  ['contains ell', 'hello'],
  ['contains "q"', 'a "q" b'],
  ['contains a\nb', 'xa\nby'],
  ['len == 2', [1, 2]],
  ['len>=1', { a: 1 }],
  ['len != 0', [1]],
  ['> 5', 6],
  ['>=-1.5e2', -150],
  ['!= 3', 4],
  ['== 3.0', 3],
  ['matches ^h.llo$', 'hello'],
  ['matches (?i)HELLO', 'say hello'],
])('%s holds for %j', (assertion, value) => {
  expect(objection(assertion, value)).toBeNull();
});

it.each<[string, Json, string]>([
  ['exists', null, 'expected a value, found null'],
  ['equals 3', '3', 'expected 3, found "3"'],
  ['equals 1', true, 'expected 1, found true'],
  ['equals [1,2]', [2, 1], 'expected [1,2], found [2,1]'],
  ['equals {"a":1}', { a: 1, b: 2 }, 'expected {"a":1}, found {"a":1,"b":2}'],
  ['equals {"toString":1}', { a: 1 }, 'expected {"toString":1}, found {"a":1}'],
  ['equals {"a":1}', JSON.parse('{"__proto__":{}}') as Json, 'expected {"a":1}, found {"__proto__":{}}'],
  ['equals []', {}, 'expected [], found {}'],
  ['contains x', 'abc', 'expected "x" in it, found "abc"'],
  ['contains 1', [1], '"contains" needs a string, found an array'],
  ['len == 3', 'abc', '"len" needs an array or an object, found a string'],
  ['len > 2', [1, 2], 'expected len > 2, found len 2'],
  ['> 5', '6', '">" needs a number, found a string'],
  ['!= 5', null, '"!=" needs a number, found null'],
  ['<= 5', 5.1, 'expected <= 5, found 5.1'],
  ['matches ^a', 'ba', 'expected a match of "^a", found "ba"'],
  ['matches 1', 1, '"matches" needs a string, found a number'],
])('%s does not hold for %j', (assertion, value, message) => {
  expect(objection(assertion, value)).toBe(message);
});

it.each([
  ['', 'the assertion is blank: expected exists, equals V'],
  ['exist', 'unknown assertion "exist"; did you mean "exists"? Expected exists, equals V'],
  ['Equals 3', '; did you mean "equals"? Expected exists'],
  ['about 3', 'unknown assertion "about 3": expected exists, equals V'],
  ['equals', 'unknown assertion "equals"'],
  ['exists now', 'unknown assertion'],
  ['= 3', 'unknown assertion'],
  ['len 3', 'unknown assertion'],
  ['len > 2.5', '"len >" needs a whole number, not "2.5"'],
  ['len > -1', 'needs a whole number'],
  ['== hello', '"==" needs a number, not "hello"; for other values write "equals V"'],
  ['> 1e999', 'needs a number'],
  ['> 0x10', 'needs a number'],
  ['matches (', 'invalid pattern: missing closing )'],
])('%j is refused', (assertion, message) => {
  const result = objection(assertion, 1);
  expect(result).toMatch(/^refused: /);
  expect(result).toContain(message);
});

it('nothing found is "path not found" for every assertion, also "equals null" and "!="', () => {
  for (const assertion of ['exists', 'equals null', 'contains x', 'len == 0', '!= 3', 'matches .*']) {
    expect(objection(assertion, undefined)).toBe('path not found');
  }
});

it('every JSON value equals itself printed back, compactly or not', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      expect(objection(`equals ${JSON.stringify(value, null, indent)}`, value)).toBeNull();
    }),
  );
});

it('the order of keys does not matter', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(objection(`equals ${JSON.stringify(reversed)}`, value)).toBeNull();
    }),
  );
});

it('two values are equal only where they are the same JSON', () => {
  const canonical = (value: Json): string =>
    JSON.stringify(value, (_key, part: Json) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    );
  const small = (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>).filter(isExact);
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(objection(`equals ${JSON.stringify(a)}`, b) === null).toBe(canonical(a) === canonical(b));
    }),
  );
});

const operators = ['==', '!=', '>', '>=', '<', '<='] as const;
const inJavaScript = {
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
};

it('numbers compare as in JavaScript', () => {
  const number = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...operators), number, number, (operator, a, b) => {
      expect(objection(`${operator} ${b}`, a) === null).toBe(inJavaScript[operator](a, b));
    }),
  );
});

it.each([
  'equals 12345678901234567890',
  'equals {"id": [9007199254740993]}',
  'equals 1e300',
  '== 9007199254740992',
  '!= -12345678901234567890',
])('%s is refused: such numbers cannot be told apart', (text) => {
  expect(parseAssertion(text)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/exceeds 9007199254740991.*compare the text/) as string,
  });
});

it('the last number that is exact is told from its neighbour, and larger ones have an order', () => {
  expect(objection('equals 9007199254740991', JSON.parse('9007199254740993') as Json)).not.toBeNull();
  expect(objection('> 1e18', 2e18)).toBeNull();
  expect(objection('equals "12345678901234567890"', '12345678901234567891')).not.toBeNull();
});

it('lengths compare as in JavaScript, of arrays and of objects', () => {
  fc.assert(
    fc.property(fc.constantFrom(...operators), fc.array(json), fc.nat({ max: 12 }), (operator, array, n) => {
      const expected = inJavaScript[operator](array.length, n);
      expect(objection(`len ${operator} ${n}`, array) === null).toBe(expected);
      expect(objection(`len ${operator} ${n}`, Object.fromEntries(array.entries())) === null).toBe(expected);
    }),
  );
});

it('strings contain as in JavaScript', () => {
  const part = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(fc.string(), part, fc.string(), (before, text, after) => {
      expect(objection(`contains ${text}`, before + text + after)).toBeNull();
      expect(objection(`contains ${text}`, before) === null).toBe(before.includes(text));
    }),
  );
});

it('no text makes the parser throw, no value makes an assertion throw', () => {
  const words = fc.constantFrom('exists', 'equals ', 'contains ', 'len ', 'matches ', '== ', '>= ', '<');
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(words, fc.string()).map(([word, rest]) => word + rest),
  );
  fc.assert(
    fc.property(text, json, (assertion, value) => void objection(assertion, value)),
    { numRuns: 500 },
  );
});
