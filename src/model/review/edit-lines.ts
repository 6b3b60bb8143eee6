import { linesOf } from './review-section.js';

/** A line with the characters that end it; the last one has none. */
export interface Line {
  text: string;
  end: string;
}

/** Text that is put into the place of other text. Line and column count from 1. */
export interface TextChange {
  line: number;
  column: number;
  length: number;
  text: string;
}

/** Splits a text into its lines, whatever ends them. */
export function eachLine(text: string): Line[] {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  return linesOf(text).map((line, at) => ({ text: line, end: ends[at] ?? '' }));
}

/** What remains of a line from which all text was taken. */
const EMPTY = /^\s*(?:<!--\s*-->\s*)?$/;

/** Makes changes, which do not overlap. Lines of which nothing is left are left out. */
export function editLines(lines: readonly Line[], changes: readonly TextChange[]): Line[] {
  return lines.flatMap((line, at) => {
    const own = changes.filter((change) => change.line === at + 1).sort((a, b) => b.column - a.column);
    const text = own.reduce(edit, line.text);
    return own.length > 0 && EMPTY.test(text) && text !== line.text ? [] : [{ ...line, text }];
  });
}

/** There is one blank between a text and its label, and one before the mark that ends its comment. */
function edit(line: string, { column, length, text }: TextChange): string {
  const [before, after] = [line.slice(0, column - 1), line.slice(column - 1 + length)];
  if (text === '') return `${before}${before.endsWith(' ') ? after.replace(/^\s+(?=-->)/, '') : after}`;
  return `${before}${/\S$/.test(before) ? ' ' : ''}${text}${after.startsWith('-->') ? ' ' : ''}${after}`;
}
