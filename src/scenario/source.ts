import type { Problem } from '../lib/problem.js';

/** Keys and list indexes from the root of a file down to a value, as in zod's issues. */
export type Path = readonly PropertyKey[];

/** Line and column from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  line: number;
  column: number;
}

/** Which end of `key: value` is meant. For an item of a list both are the item. */
export type Side = 'key' | 'value';

/** What a format calls its two kinds of container. */
export interface Nouns {
  map: string;
  list: string;
}

/** A parsed file: its plain value, and where each part of that was written. */
export interface Source {
  file: string;
  value: unknown;
  nouns: Nouns;
  /** null when nothing stands there in the text (a missing key, an empty value). */
  locate(path: Path, side: Side): Position | null;
}

/** Makes a problem of a file whose value is fine in itself (a fixture that is missing, an agent nobody defines). */
export type ProblemAt = (path: Path, message: string, side?: Side) => Problem;

/** A file that was read: its checked value, or every problem found, in the order of the text. */
export type Loaded<T> = { ok: true; value: T; problemAt: ProblemAt } | { ok: false; problems: Problem[] };

/** `evaluation.gates[1].type`; a key that is no plain word is quoted: `setup.files["a/b.txt"]`. */
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

/** The problem at `path`; what is not in the text is shown at the nearest thing around it that is. */
export function problemIn(source: Source, path: Path, message: string, side: Side = 'value'): Problem {
  return { file: source.file, ...positionIn(source, path, side), path: formatPath(path), message };
}

/** Problems in the order of the text, each once. */
export function inTextOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function positionIn(source: Source, path: Path, side: Side): Position {
  const here = source.locate(path, side) ?? source.locate(path, side === 'key' ? 'value' : 'key');
  if (here !== null) return here;
  return path.length === 0 ? { line: 1, column: 1 } : positionIn(source, path.slice(0, -1), 'key');
}
