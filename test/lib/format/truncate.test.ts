import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutMiddle } from '../../../src/lib/format/truncate.js';

test('keeps a text that is short enough', () => {
  expect(withoutMiddle('abcd', 4)).toBe('abcd');
});

test('keeps beginning and end of a longer text, and says how much is missing', () => {
  expect(withoutMiddle('abcdefgh', 4)).toBe('ab…\n[4 of 8 characters omitted]\n…gh');
});

test('leaves no half of a character at the cuts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 30 }), fc.integer({ min: 2, max: 20 }), (text, max) => {
      expect(withoutMiddle(text, max)).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});
