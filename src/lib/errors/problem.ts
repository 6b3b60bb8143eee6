/** A mistake in a file that a user wrote. Line and column count from 1. */
export interface Problem {
  file: string;
  line: number;
  column: number;
  /** The place in the value: `evaluation.gates[1].type`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** A mistake of a file as a whole. */
export const fileProblem = (file: string, message: string): Problem => ({
  file,
  line: 1,
  column: 1,
  path: '',
  message,
});

/** Formats `scenario.yaml:6:11 evaluation.gates[1].type: unknown type ...`, to which editors and terminals can jump. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}`;
}

const CONTEXT_LINES = 2;
const MAX_WIDTH = 120;

/**
 * Returns a line with two around it, and a caret under the column. If that line is long, all are cut around the caret.
 */
export function codeFrame(text: string, line: number, column: number): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - CONTEXT_LINES);
  const last = Math.min(lines.length, line + CONTEXT_LINES);
  const width = String(last).length;
  const fits = (lines[line - 1] ?? '').length <= MAX_WIDTH;
  const skipped = fits ? 0 : Math.max(0, column - MAX_WIDTH / 2);
  const frame: string[] = [];
  for (let at = first; at <= last; at += 1) {
    const shown = printable((lines[at - 1] ?? '').slice(skipped, skipped + MAX_WIDTH));
    frame.push(`${at === line ? '>' : ' '} ${String(at).padStart(width)} | ${shown}`.trimEnd());
    if (at === line) frame.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1 - skipped))}^`);
  }
  return frame.join('\n');
}

/** Replaces control characters: a tab or an escape sequence would move the caret, or change the terminal. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
