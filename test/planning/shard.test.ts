import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseShard } from '../../src/commands/shared/option-values.js';
import type { Cell } from '../../src/model/index.js';
import { cellsOfShard } from '../../src/planning/resolve-sweep.js';

const cells = (count: number): Cell[] =>
  Array.from({ length: count }, (_, index) => ({ id: `cell-${index}` }) as Partial<Cell> as Cell);

test('shards are disjoint, contain all cells together, and are of nearly the same size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (count, some) => {
      const of = Math.min(count, some);
      const all = cells(count);
      const shards = Array.from({ length: of }, (_, index) => cellsOfShard(all, { number: index + 1, of }));
      expect(new Set(shards.flat().map(({ id }) => id)).size).toBe(count);
      const sizes = shards.map((shard) => shard.length);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(count);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a shard without cells is refused: its job would pass with nothing done', () => {
  expect(() => cellsOfShard(cells(2), { number: 3, of: 3 })).toThrow('shard 3/3 is empty: the selection has 2 cells');
});

test.each(['', '0/2', '3/2', '1', '1/2/3', 'a/b', '-1/2', '1.5/2'])('%j is no shard', (text) => {
  expect(() => parseShard(text)).toThrow('expected the number of a shard and how many there are, e.g. 2/5');
});

test('2/5 is the second of five', () => {
  expect(parseShard('2/5')).toEqual({ number: 2, of: 5 });
});
