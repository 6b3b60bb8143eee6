import { expect, test } from 'vitest';
import { runsAlike } from '../../src/workflows/patience.js';

test('runs with one reason are counted up to the latest', () => {
  expect(runsAlike(['busy'])).toBe(1);
  expect(runsAlike(['busy', 'busy', 'busy'])).toBe(3);
  expect(runsAlike(['limit', 'limit', 'busy'])).toBe(1);
  expect(runsAlike(['busy', 'limit', 'busy', 'busy'])).toBe(2);
});
