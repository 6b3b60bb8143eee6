import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutMiddle } from '../../../src/lib/format/truncate.js';

test('a text that is short enough stays', () => {
  expect(withoutMiddle('abcd', 4)).toBe('abcd');
});

test('of a longer one beginning and end stay, and a line says how much is gone', () => {
  expect(withoutMiddle('abcdefgh', 4)).toBe('ab…\n[4 of 8 characters omitted]\n…gh');
});

test('no half of a character is left at the cuts', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 30 }),
      fc.integer({ min: 2, max: 20 }),
      (text, max) => {
        expect(withoutMiddle(text, max)).not.toMatch(/\p{Surrogate}/u);
      },
    ),
  );
});
