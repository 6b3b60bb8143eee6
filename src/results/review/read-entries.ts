import { nameInForm, type Section } from './review-section.js';

/** A line of the review without its label. Text without a label belongs to the notes. */
export interface Entry {
  label: 'score' | 'criterion' | 'reviewer' | 'notes';
  /** Of a label `criterion`: its name. If it is none of those that the judge has scored, as it is written. */
  criterion?: string;
  text: string;
  /** Place of the text in the file, from 1. */
  line: number;
  column: number;
}

const START = String.raw`^\s*(?:[-*+>]\s+|#{3,6}\s+)?[*_]*`;
const SIGN = String.raw`[*_]*\s*[:=：][*_]*`;
const LABELS: readonly [Exclude<Entry['label'], 'criterion'>, RegExp][] = [
  ['score', new RegExp(String.raw`${START}human\s+score(?:${SIGN}|[*_]*\s+(?=[\d_]))`, 'i')],
  ['score', new RegExp(`${START}score${SIGN}`, 'i')],
  ['reviewer', new RegExp(`${START}(?:human )?review(?:er|ed by)${SIGN}`, 'i')],
  ['notes', new RegExp(`${START}(?:further )?(?:human )?notes?${SIGN}`, 'i')],
];
const OF_CRITERION = new RegExp(String.raw`${START}human\s+score\s+(?:of|for)\s+(?=\S)`, 'i');
const AFTER_CRITERION = new RegExp(`^${SIGN}`);
const UNKNOWN_CRITERION = new RegExp(`^(.+?)${SIGN}`);
/** Common words such as "score:" and "note:" begin a line of the notes, too. These are labels anywhere. */
const ALWAYS = /(?:human|further) /i;

interface Piece {
  text: string;
  column: number;
  /** A comment begins before it. */
  isComment: boolean;
}

type Label = Pick<Entry, 'label' | 'criterion'> & { length: number };

/**
 * Reads the section line by line. A label may be in a comment, as in the template, or not; the notes may be in the
 * comment of their label, or below it. Scores of criteria are only looked for if the judge has scored some (`criteria`).
 */
export function readEntries(
  lines: readonly string[],
  { begin, end }: Section,
  criteria: readonly string[],
): Entry[] {
  const known = criteria
    .map((id) => ({ id, name: nameInForm(id) }))
    .sort((a, b) => b.name.length - a.name.length);
  const entries: Entry[] = [];
  let inComment = false;
  let inNotes = false;
  for (const [at, whole] of lines.slice(begin, end).entries()) {
    const { pieces, isOpen } = splitComments(whole, inComment);
    inComment = isOpen;
    for (const { text, column, isComment } of pieces) {
      const isNote: boolean = inNotes && !isComment;
      const found: Label | null = criterionOf(text, known, isNote) ?? labelOf(text, isNote);
      inNotes ||= found?.label === 'notes';
      const { length, ...label } = found ?? { label: 'notes' as const, length: 0 };
      entries.push(entryOf(label, text.slice(length), begin + at + 1, column + length));
    }
  }
  return entries;
}

interface Criterion {
  id: string;
  name: string;
}

/** Within notes, "human score of" an unknown name is a sentence and no label. */
function criterionOf(text: string, known: readonly Criterion[], inNotes: boolean): Label | null {
  const [start] = (known.length === 0 ? null : OF_CRITERION.exec(text)) ?? [];
  if (start === undefined) return null;
  const rest = text.slice(start.length);
  const sign = ({ name }: Criterion): string | undefined =>
    AFTER_CRITERION.exec(rest.slice(name.length))?.[0];
  const begins = known.filter(
    (one) =>
      rest.slice(0, one.name.length).toLowerCase() === one.name.toLowerCase() && sign(one) !== undefined,
  );
  const found = begins.find(({ name }) => rest.startsWith(name)) ?? begins[0];
  if (found !== undefined) {
    const length = start.length + found.name.length + (sign(found) ?? '').length;
    return { label: 'criterion', criterion: found.id, length };
  }
  const [whole, unknown] = (inNotes ? null : UNKNOWN_CRITERION.exec(rest)) ?? [];
  if (whole === undefined || unknown === undefined) return null;
  return { label: 'criterion', criterion: unknown.trim(), length: start.length + whole.length };
}

function labelOf(text: string, inNotes: boolean): Label | null {
  for (const [label, pattern] of LABELS) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined && (!inNotes || ALWAYS.test(found))) return { label, length: found.length };
  }
  return null;
}

/**
 * Splits a line into the comments that it begins with, and the rest. An arrow (`-->`) within notes is no mark. `isOpen`:
 * a comment goes on in the next line.
 */
function splitComments(line: string, inComment: boolean): { pieces: Piece[]; isOpen: boolean } {
  const pieces: Piece[] = [];
  let from = 0;
  while (!inComment) {
    const text = startOfComment(line, from);
    if (text === null) break;
    const close = line.indexOf('-->', text);
    pieces.push({
      text: line.slice(text, close === -1 ? line.length : close),
      column: text + 1,
      isComment: true,
    });
    if (close === -1) return { pieces, isOpen: true };
    from = close + '-->'.length;
  }
  const rest = line.slice(from);
  const closes = inComment && rest.trimEnd().endsWith('-->');
  const text = closes ? rest.trimEnd().slice(0, -'-->'.length) : rest;
  if (pieces.length === 0 || text.trim() !== '') pieces.push({ text, column: from + 1, isComment: false });
  return { pieces, isOpen: inComment && !closes };
}

/** Returns where the text of a comment begins, if only blanks come before it; else null. */
function startOfComment(line: string, from: number): number | null {
  const mark = /\s*<!--/y;
  mark.lastIndex = from;
  return mark.test(line) ? mark.lastIndex : null;
}

function entryOf(
  label: Pick<Entry, 'label' | 'criterion'>,
  text: string,
  line: number,
  column: number,
): Entry {
  const blanks = text.length - text.trimStart().length;
  // Notes keep the indentation of their code and lists.
  return label.label === 'notes'
    ? { ...label, text: text.trimEnd(), line, column }
    : { ...label, text: text.trim(), line, column: column + blanks };
}
