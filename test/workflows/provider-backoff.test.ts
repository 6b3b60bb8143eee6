import { expect, test } from 'vitest';
import { consecutiveSameReason } from '../../src/workflows/provider-backoff.js';

test('counts the latest runs in a row that have the same reason', () => {
  expect(consecutiveSameReason(['busy'])).toBe(1);
  expect(consecutiveSameReason(['busy', 'busy', 'busy'])).toBe(3);
  expect(consecutiveSameReason(['limit', 'limit', 'busy'])).toBe(1);
  expect(consecutiveSameReason(['busy', 'limit', 'busy', 'busy'])).toBe(2);
});
