import type { DiffLine, FileChange } from '../protocol.js';

/** Some lines of a file around a difference. */
export interface Hunk {
  /** `@@ -1,3 +1,4 @@` */
  header: string;
  lines: Exclude<DiffLine, { kind: 'gap' }>[];
}

/** Puts lines of a comparison into the hunks of a unified diff. */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after] = [1, 1];
  let current: Hunk['lines'] = [];
  const finish = (): void => {
    if (current.length === 0) return;
    const [removed, added] = (['added', 'removed'] as const).map(
      (other) => current.filter(({ kind }) => kind !== other).length,
    ) as [number, number];
    // A side without lines is named by the line before it.
    const range = (end: number, count: number): string => `${end - count - (count === 0 ? 1 : 0)},${count}`;
    hunks.push({ header: `@@ -${range(before, removed)} +${range(after, added)} @@`, lines: current });
    current = [];
  };
  for (const line of lines) {
    if (line.kind === 'gap') {
      finish();
      before += line.lines;
      after += line.lines;
      continue;
    }
    current.push(line);
    if (line.kind !== 'added') before += 1;
    if (line.kind !== 'removed') after += 1;
  }
  finish();
  return hunks;
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** Returns a change as a patch; null if it cannot be shown as text. */
export function patchOf({ path, change, lines }: FileChange): string | null {
  if (lines === null) return null;
  const from = change === 'added' ? '/dev/null' : `a/${path}`;
  const to = change === 'removed' ? '/dev/null' : `b/${path}`;
  const hunks = hunksOf(lines).flatMap(({ header, lines: of }) => [
    header,
    ...of.map(({ kind, text }) => `${SIGNS[kind]}${text}`),
  ]);
  return [`--- ${from}`, `+++ ${to}`, ...hunks, ''].join('\n');
}
