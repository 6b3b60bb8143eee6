import type { Problem } from '#lib';

/** Keys and list indexes from the root of a file down to a value, as in zod's issues. */
export type Path = readonly PropertyKey[];

/** Line and column, starting at 1. Columns count UTF-16 code units, as editors do. */
export interface Position {
  line: number;
  column: number;
}

/** Tells which part of `key: value` is meant. For a list item, both mean the item. */
export type Side = 'key' | 'value';

/** A format's words for its two kinds of container. */
export interface Nouns {
  map: string;
  list: string;
}

/** A parsed file: its plain value, and the position of each part of it in the text. */
export interface Source {
  file: string;
  value: unknown;
  nouns: Nouns;
  /** Null if nothing is written there (a missing key, an empty value). */
  locate(path: Path, side: Side): Position | null;
  /** A plain value as it is written: `3.10`, which is the number 3.1. Absent, or null, if that is not known. */
  written?(path: Path): string | null;
}

/** Makes a problem for a file that is valid by itself (a missing fixture, an undefined agent). */
export type ProblemAt = (path: Path, message: string, side?: Side) => Problem;

/** The result of reading a file: its checked value, or all problems in the order of the text. */
export type Loaded<T> = { ok: true; value: T; problemAt: ProblemAt } | { ok: false; problems: Problem[] };

/** Formats a path: `evaluation.gates[1].type`. A key that is not a plain word is quoted: `setup.files["a/b.txt"]`. */
export function formatPath(path: Path): string {
  return path
    .map((part, at) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = String(part);
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return at === 0 ? key : `.${key}`;
    })
    .join('');
}

/** Makes a problem at `path`. If the path is not in the text, its nearest parent that is gives the position. */
export function problemIn(source: Source, path: Path, message: string, side: Side = 'value'): Problem {
  return { file: source.file, ...positionIn(source, path, side), path: formatPath(path), message };
}

/** Sorts problems in the order of the text and removes duplicates. */
export function inTextOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function positionIn(source: Source, path: Path, side: Side): Position {
  const here = source.locate(path, side) ?? source.locate(path, side === 'key' ? 'value' : 'key');
  if (here !== null) return here;
  return path.length === 0 ? { line: 1, column: 1 } : positionIn(source, path.slice(0, -1), 'key');
}
