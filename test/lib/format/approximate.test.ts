import { expect, test } from 'vitest';
import { formatAbout } from '../../../src/lib/format/amounts.js';

test.each([
  [0, 'about 10 s'],
  [31, 'about 40 s'],
  [80, 'about 80 s'],
  [81, 'about 2 min'],
  [540, 'about 9 min'],
  [3540, 'about 59 min'],
  [3600, 'about 1 h'],
  [7800, 'about 2 h 10 min'],
  [40_000, 'about 11 h'],
])('%d s are %s', (secs, text) => {
  expect(formatAbout(secs)).toBe(text);
});
