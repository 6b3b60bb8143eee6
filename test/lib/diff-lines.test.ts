import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines, type DiffedLine } from '../../src/lib/diff-lines.js';

const side = (lines: readonly DiffedLine[], other: DiffedLine['kind']): string[] =>
  lines.filter(({ kind }) => kind !== other).map(({ text }) => text);

/** The fewest differences, by the definition: all lines that are not in the longest common subsequence. */
function fewest(a: readonly string[], b: readonly string[]): number {
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (const [i, one] of a.entries())
    for (const [j, other] of b.entries())
      (common[i + 1] as number[])[j + 1] =
        one === other ? (common[i]?.[j] ?? 0) + 1 : Math.max(common[i]?.[j + 1] ?? 0, common[i + 1]?.[j] ?? 0);
  return a.length + b.length - 2 * (common[a.length]?.[b.length] ?? 0);
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

test('both texts can be read from the difference, which is as small as possible', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const found = diffLines(before, after, 100) ?? [];
      expect(side(found, 'added')).toEqual(before);
      expect(side(found, 'removed')).toEqual(after);
      expect(found.filter(({ kind }) => kind !== 'same')).toHaveLength(fewest(before, after));
    }),
  );
});

test('gives up if more lines differ than wanted', () => {
  expect(diffLines(['a', 'b'], ['c', 'd'], 3)).toBeNull();
  expect(diffLines(['a', 'b'], ['c', 'd'], 4)).toHaveLength(4);
});
