import fc from 'fast-check';
import { expect, test } from 'vitest';
import { earlierPart, firstPart, laterPart, type Part } from '../../../src/viewer/pages/shown-part.js';

test('begins at the beginning, near what the address points to, or at the end', () => {
  expect(firstPart(1000, -1)).toEqual({ from: 0, to: 300 });
  expect(firstPart(1000, 500)).toEqual({ from: 450, to: 750 });
  expect(firstPart(1000, 1000)).toEqual({ from: 700, to: 1000 });
  expect(firstPart(5, -1)).toEqual({ from: 0, to: 300 });
});

test('a reader reaches both ends, and never has more than 600 items on the page', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.integer({ min: -1, max: 3000 }), fc.boolean(), (count, wanted, isDown) => {
      let part: Part = firstPart(count, Math.min(wanted, count));
      for (let moves = 0; moves < 30; moves++) {
        const next = isDown ? laterPart(part, count) : earlierPart(part);
        expect(next.to - next.from).toBeLessThanOrEqual(600);
        part = next;
      }
      expect(isDown ? part.to >= count : part.from === 0).toBe(true);
    }),
  );
});
