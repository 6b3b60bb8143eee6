/** A line of two texts: in both, or only in the first (`removed`) or the second one (`added`). */
export interface DiffedLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/**
 * Compares two lists of lines, and returns the lines of both in order, with as few differences as possible (Myers). Null if they
 * differ in more than `most` lines: finding them takes time and memory in proportion to its square.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  most: number,
): DiffedLine[] | null {
  const traces = findTraces(before, after, most);
  if (traces === null) return null;
  const lines: DiffedLine[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = traces.length - 1; edits >= 0; edits--) {
    const reached = traces[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const isAdded = comesFromAbove(reached, diagonal, edits);
    const from = isAdded ? diagonal + 1 : diagonal - 1;
    const startX = edits === 0 ? 0 : (reached.get(from) ?? 0);
    const startY = edits === 0 ? 0 : startX - from;
    while (x > startX && y > startY) {
      lines.push({ kind: 'same', text: before[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (edits === 0) break;
    lines.push(
      isAdded
        ? { kind: 'added', text: after[startY] ?? '' }
        : { kind: 'removed', text: before[startX] ?? '' },
    );
    [x, y] = [startX, startY];
  }
  return lines.reverse();
}

/** For each number of edits, how far (in `before`) each diagonal was reached with one fewer. */
function findTraces(
  before: readonly string[],
  after: readonly string[],
  most: number,
): Map<number, number>[] | null {
  const traces: Map<number, number>[] = [];
  let reached = new Map<number, number>();
  for (let edits = 0; edits <= most; edits++) {
    traces.push(reached);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = comesFromAbove(reached, diagonal, edits)
        ? (reached.get(diagonal + 1) ?? 0)
        : (reached.get(diagonal - 1) ?? -1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return traces;
    }
    reached = next;
  }
  return null;
}

/** Whether the best way to a diagonal adds a line of `after`, and does not remove one of `before`. */
const comesFromAbove = (reached: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean =>
  diagonal === -edits ||
  (diagonal !== edits && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));
