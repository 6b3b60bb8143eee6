import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStorable, jsonPieces, MAX_DEPTH, type Json } from '../../src/lib/json.js';

const nested = (depth: number): Json => (depth === 0 ? 1 : { in: [nested(depth - 1)] });

test('a value is storable up to the maximum depth, and no deeper', () => {
  expect(isStorable(nested(MAX_DEPTH / 2))).toBe(true);
  expect(isStorable([nested(MAX_DEPTH / 2)])).toBe(false);
});

test('a wide value is storable', () => {
  expect(isStorable(Array.from({ length: 2 * MAX_DEPTH }, () => []))).toBe(true);
});

test('the pieces of a document are those of its JSON, and each item of its lists is one', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value, null, 2));
    }),
  );
  const document = { unset: undefined, cells: [{ id: 'a\nb' }, undefined, [1]], empty: [], of: { more: [2] } };
  expect([...jsonPieces(document)].join('')).toBe(JSON.stringify(document, null, 2));
  expect(Math.max(...[...jsonPieces({ cells: Array(1000).fill('cell') })].map(({ length }) => length))).toBeLessThan(
    20,
  );
});
