import type { Section } from './review-section.js';

/** A line of the review without its label. Text without a label belongs to the notes. */
export interface Entry {
  label: 'score' | 'reviewer' | 'notes';
  text: string;
  /** Place of the text in the file, from 1. */
  line: number;
  column: number;
}

const START = String.raw`^\s*(?:[-*+>]\s+|#{3,6}\s+)?[*_]*`;
const SIGN = String.raw`[*_]*\s*[:=：][*_]*`;
const LABELS: readonly [Entry['label'], RegExp][] = [
  ['score', new RegExp(String.raw`${START}human\s+score(?:${SIGN}|[*_]*\s+(?=[\d_]))`, 'i')],
  ['score', new RegExp(`${START}score${SIGN}`, 'i')],
  ['reviewer', new RegExp(`${START}(?:human )?review(?:er|ed by)${SIGN}`, 'i')],
  ['notes', new RegExp(`${START}(?:further )?(?:human )?notes?${SIGN}`, 'i')],
];
/** Common words such as "score:" and "note:" begin a line of the notes, too. These are labels anywhere. */
const ALWAYS = /(?:human|further) /i;

interface Piece {
  text: string;
  column: number;
  /** A comment begins before it. */
  isComment: boolean;
}

/**
 * Reads the section line by line. A label may be in a comment, as in the template, or not; the notes may be in the
 * comment of their label, or below it.
 */
export function readEntries(lines: readonly string[], { begin, end }: Section): Entry[] {
  const entries: Entry[] = [];
  let inComment = false;
  let inNotes = false;
  for (const [at, whole] of lines.slice(begin, end).entries()) {
    const { pieces, isOpen } = splitComments(whole, inComment);
    inComment = isOpen;
    for (const { text, column, isComment } of pieces) {
      const found = labelOf(text, inNotes && !isComment);
      inNotes ||= found?.label === 'notes';
      const { label, length } = found ?? { label: 'notes' as const, length: 0 };
      entries.push(entryOf(label, text.slice(length), begin + at + 1, column + length));
    }
  }
  return entries;
}

function labelOf(text: string, inNotes: boolean): { label: Entry['label']; length: number } | null {
  for (const [label, pattern] of LABELS) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined && (!inNotes || ALWAYS.test(found))) return { label, length: found.length };
  }
  return null;
}

/** Splits a line at the marks of comments that begin it. An arrow (`-->`) within notes is no mark. */
function splitComments(line: string, inComment: boolean): { pieces: Piece[]; isOpen: boolean } {
  const [opening] = /^\s*<!--/.exec(line) ?? [];
  if (opening === undefined) {
    const text = inComment ? line.trimEnd().replace(/-->$/, '') : line;
    return {
      pieces: [{ text, column: 1, isComment: false }],
      isOpen: inComment && !line.trimEnd().endsWith('-->'),
    };
  }
  const begin = { column: opening.length + 1, isComment: true };
  const close = line.indexOf('-->', opening.length);
  if (close === -1) return { pieces: [{ text: line.slice(opening.length), ...begin }], isOpen: true };
  const first = { text: line.slice(opening.length, close), ...begin };
  const after = line.slice(close + 3);
  if (after.trim() === '') return { pieces: [first], isOpen: false };
  const { pieces, isOpen } = splitComments(after, false);
  const moved = pieces.map((piece) => ({ ...piece, column: piece.column + close + 3 }));
  return { pieces: [first, ...moved], isOpen };
}

function entryOf(label: Entry['label'], text: string, line: number, column: number): Entry {
  const blanks = text.length - text.trimStart().length;
  // Notes keep the indentation of their code and lists.
  return label === 'notes'
    ? { label, text: text.trimEnd(), line, column }
    : { label, text: text.trim(), line, column: column + blanks };
}
