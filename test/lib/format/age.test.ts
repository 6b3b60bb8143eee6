import { expect, test } from 'vitest';
import { formatAge, parseAge, formatBytes } from '../../../src/lib/format/amounts.js';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

test.each([
  ['0d', 0],
  ['90m', 90 * MINUTE],
  ['12h', 12 * HOUR],
  ['30d', 30 * DAY],
  ['2w', 14 * DAY],
  [' 1d ', DAY],
])('an age of %j is %d ms', (text, ms) => {
  expect(parseAge(text)).toBe(ms);
});

test.each(['', '30', 'd', '-1d', '1.5d', '1y', '1D', '1d2h', '٣d', '9999999d', 'NaNd'])(
  '%j is not a valid age',
  (text) => {
    expect(parseAge(text)).toBeNull();
  },
);

test.each([
  [-5, 'just now'],
  [59_999, 'just now'],
  [MINUTE, '1m ago'],
  [HOUR - 1, '59m ago'],
  [47 * HOUR, '47h ago'],
  [2 * DAY, '2d ago'],
  [400 * DAY, '400d ago'],
])('%d ms ago reads "%s"', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [4200, '4.2 kB'],
  [999_600, '1.0 MB'],
  [18_300_000, '18 MB'],
  [2.5e15, '2500 TB'],
])('%d bytes read "%s"', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
