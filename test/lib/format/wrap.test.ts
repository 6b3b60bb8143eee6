import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textWidth, wrap } from '../../../src/lib/format/table.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '日', '👩‍👩‍👧', '\x1b[31m', '\t') }),
);

describe('wrap', () => {
  test('breaks between words', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  });
  test('divides a word that is longer than a line', () => {
    expect(wrap('a abcdefgh', 3)).toEqual(['a', 'abc', 'def', 'gh']);
  });
  test('keeps lines, also blank ones between others', () => {
    expect(wrap('\none\n\ntwo\n', 80)).toEqual(['one', '', 'two']);
  });
  test('no line is wider than the width, or contains control characters', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (given, width) => {
        for (const line of wrap(given, width)) {
          expect(textWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
  test('loses no letter', () => {
    const letters = (of: string): string => of.replace(/\s/g, '');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '日') }),
        fc.integer({ min: 2, max: 40 }),
        (given, width) => {
          expect(letters(wrap(given, width).join(''))).toBe(letters(given));
        },
      ),
    );
  });
});
