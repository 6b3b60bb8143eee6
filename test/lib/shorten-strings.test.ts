import { expect, test } from 'vitest';
import { shortenStrings } from '../../src/lib/json.js';

test('cuts strings at any depth with an ellipsis, and keeps everything else', () => {
  expect(shortenStrings({ a: 'abcd', b: ['abcdef', 1, null, { c: 'x'.repeat(9) }], d: true }, 4)).toEqual({
    a: 'abcd',
    b: ['abcd…', 1, null, { c: 'xxxx…' }],
    d: true,
  });
});
