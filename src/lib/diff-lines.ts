import { diffArrays } from 'diff';

/** A line of two texts: in both, or only in the first (`removed`) or the second one (`added`). */
export interface DiffedLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/**
 * Compares two lists of lines, and returns the lines of both in order, with as few differences as possible. Null if
 * they differ in more than `most` lines: finding them takes time and memory in proportion to its square.
 */
export function diffLines(before: readonly string[], after: readonly string[], most: number): DiffedLine[] | null {
  const parts = diffArrays([...before], [...after], { maxEditLength: most });
  return (
    (parts ?? null)?.flatMap(({ added, removed, value }) => {
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      return value.map((text) => ({ kind, text }) as const);
    }) ?? null
  );
}
