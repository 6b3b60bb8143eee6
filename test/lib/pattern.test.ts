import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compilePattern } from '../../src/lib/pattern.js';

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.test(text);
}
function refusal(pattern: string): string | null {
  const compiled = compilePattern(pattern);
  return compiled.ok ? null : compiled.message;
}

it('searches anywhere in the text', () => {
  expect(matches('b+c', 'aabbbcd')).toBe(true);
  expect(matches('^b', 'ab')).toBe(false);
});

it('is case-sensitive unless the pattern says (?i)', () => {
  expect(matches('abc', 'ABC')).toBe(false);
  expect(matches('(?i)abc', 'ABC')).toBe(true);
});

it('anchors at the text unless the pattern says (?m)', () => {
  expect(matches('^b$', 'a\nb\nc')).toBe(false);
  expect(matches('(?m)^b$', 'a\nb\nc')).toBe(true);
  expect(matches('a$', 'a\n')).toBe(false);
});

it('a dot stops at a line end unless the pattern says (?s)', () => {
  expect(matches('a.b', 'a\nb')).toBe(false);
  expect(matches('(?s)a.b', 'a\nb')).toBe(true);
});

it('supports Unicode', () => {
  expect(matches('^.$', '😀')).toBe(true);
  expect(matches('^\\p{Greek}+$', 'αβγ')).toBe(true);
});

it('stays fast for patterns that make backtracking engines explode', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
});

it.each([
  ['a(b', 'invalid pattern: missing closing ): `a(b`'],
  ['[b-a]', 'invalid pattern: invalid character class range: `b-a`'],
  ['*', 'invalid pattern: missing argument to repetition operator: `*`'],
  ['a(?=b)', 'RE2 has no look-ahead and no look-behind'],
  ['(?<!a)b', 'RE2 has no look-ahead and no look-behind'],
  ['(a)\\1', 'RE2 has no back-references'],
])('says what is wrong with %s', (pattern, message) => {
  expect(refusal(pattern)).toContain(message);
});

it('an escaped text matches exactly when JavaScript finds it', () => {
  const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (needle, before, after) => {
      expect(matches(quoted(needle), before + needle + after)).toBe(true);
      expect(matches(quoted(needle), before)).toBe(before.includes(needle));
    }),
  );
});

it('no text makes the compiler throw, and no input makes a pattern throw', () => {
  const fragment = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{2,3}',
    '*',
    '+?',
    '|',
    '\\',
    'a',
    '^',
    '$',
    '(?i)',
    '(?P<n>',
    '\\p{L}',
    '[^',
    '-',
    '.',
  );
  const pattern = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(pattern, fc.string({ unit: 'binary' }), (text, input) => {
      const compiled = compilePattern(text);
      if (compiled.ok) expect(typeof compiled.test(input)).toBe('boolean');
      else expect(compiled.message).toMatch(/^invalid pattern: ./s);
    }),
    { numRuns: 1000 },
  );
});
