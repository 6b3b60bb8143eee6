import { expect, test } from 'vitest';
import { isStorable, MAX_DEPTH, type Json } from '../../src/lib/json.js';

const nested = (depth: number): Json => (depth === 0 ? 1 : { in: [nested(depth - 1)] });

test('a value is storable up to the maximum depth, and no deeper', () => {
  expect(isStorable(nested(MAX_DEPTH / 2))).toBe(true);
  expect(isStorable([nested(MAX_DEPTH / 2)])).toBe(false);
});

test('a wide value is storable', () => {
  expect(isStorable(Array.from({ length: 2 * MAX_DEPTH }, () => []))).toBe(true);
});
