import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/lib/format/amounts.js';

test.each([
  [0, '0 ms'],
  [850, '850 ms'],
  [999.6, '1.0 s'],
  [4200, '4.2 s'],
  [59_949, '59.9 s'],
  [59_950, '1m 00s'],
  [222_000, '3m 42s'],
  [3_599_600, '1h 00m'],
  [3_900_000, '1h 05m'],
  [90_000_000, '25h 00m'],
  [-5, '0 ms'],
])('%d ms reads as "%s"', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('a duration reads back as the same, within half of its last digit', () => {
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => {
      const text = formatDuration(ms);
      const parts = [...text.matchAll(/([\d.]+) ?(ms|s|m|h)/g)];
      const back = parts.reduce((sum, [, n, unit]) => sum + Number(n) * units[unit as keyof typeof units], 0);
      const slack = text.includes('h') ? 30_000 : text.includes('m ') ? 500 : text.endsWith(' s') ? 50 : 0;
      expect(Math.abs(back - ms)).toBeLessThanOrEqual(slack);
      expect(text).not.toMatch(/\b60(\.0)? ?[sm]/);
    }),
  );
});
