import { labelOfGate, shortLabelOfGate, type Judged } from './judged.js';
import { nameInForm, type Section } from './review-section.js';
import { looksLikeScore } from './parse-score.js';
import { looksLikeVerdict } from './parse-verdict.js';

/** A line of the review without its label. Text without a label belongs to the notes. */
export interface Entry {
  label: 'score' | 'criterion' | 'gate' | 'labels' | 'reviewer' | 'notes';
  /**
   * The object of a label `criterion`: its id; of a label `gate`: its number. If no model has judged such a one, as it
   * is written.
   */
  of?: string;
  text: string;
  /** Place of the text in the file, from 1. */
  line: number;
  column: number;
}

const START = String.raw`^\s*(?:[-*+>]\s+|#{3,6}\s+)?[*_]*`;
const SIGN = String.raw`[*_]*\s*[:=：][*_]*`;
const LABELS: readonly [Exclude<Entry['label'], 'criterion' | 'gate'>, RegExp][] = [
  ['score', new RegExp(String.raw`${START}human\s+score(?:${SIGN}|[*_]*\s+(?=[\d_]))`, 'i')],
  ['score', new RegExp(`${START}score${SIGN}`, 'i')],
  ['labels', new RegExp(`${START}(?:human )?labels?${SIGN}`, 'i')],
  ['reviewer', new RegExp(`${START}(?:human )?review(?:er|ed by)${SIGN}`, 'i')],
  ['notes', new RegExp(`${START}(?:further )?(?:human )?notes?${SIGN}`, 'i')],
];
const OF_CRITERION = new RegExp(String.raw`${START}human\s+score\s+(?:of|for)\s+(?=\S)`, 'i');
const OF_GATE = new RegExp(String.raw`${START}human\s+verdict\s+(?:on|of|for)\s+(?=\S)`, 'i');
const AFTER_NAME = new RegExp(`^${SIGN}`);
const UNKNOWN_NAME = new RegExp(`^(.+?)${SIGN}`);
/** Common words such as "score:" and "note:" begin a line of the notes, too. These are labels anywhere. */
const ALWAYS = /(?:human|further) /i;

interface Piece {
  text: string;
  column: number;
  /** A comment begins before it. */
  isComment: boolean;
}

type Label = Pick<Entry, 'label' | 'of'> & { length: number };

/**
 * Reads the section line by line. A label may be in a comment, as in the template, or not; the notes may be in the
 * comment of their label, or below it. Scores of criteria and verdicts on gates are only looked for if a model has
 * judged some.
 */
function readEntries(lines: readonly string[], { begin, end }: Section, judged: Judged): Entry[] {
  const kinds = kindsOf(judged);
  const entries: Entry[] = [];
  let inComment = false;
  let inNotes = false;
  for (const [at, whole] of lines.slice(begin, end).entries()) {
    const { pieces, isOpen } = splitComments(whole, inComment);
    inComment = isOpen;
    for (const { text, column, isComment } of pieces) {
      const isNote: boolean = inNotes && !isComment;
      const found: Label | null = namedOf(text, kinds, isNote) ?? labelOf(text, isNote);
      inNotes ||= found?.label === 'notes';
      const { length, ...label } = found ?? { label: 'notes' as const, length: 0 };
      entries.push(entryOf(label, text.slice(length), begin + at + 1, column + length));
    }
  }
  return entries;
}

/** A kind of thing that a label names. */
interface Kind {
  label: 'criterion' | 'gate';
  start: RegExp;
  /** The longest names first. */
  known: readonly EntryName[];
}

interface EntryName {
  id: string;
  name: string;
}

function kindsOf({ criteria, gates }: Judged): Kind[] {
  const sorted = (known: readonly EntryName[]): EntryName[] =>
    known.map(({ id, name }) => ({ id, name: nameInForm(name) })).sort((a, b) => b.name.length - a.name.length);
  const ofGates = gates.flatMap((gate) =>
    [labelOfGate(gate), shortLabelOfGate(gate)].map((name) => ({ id: String(gate.number), name })),
  );
  const kinds: Kind[] = [
    { label: 'criterion', start: OF_CRITERION, known: sorted(criteria.map((id) => ({ id, name: id }))) },
    { label: 'gate', start: OF_GATE, known: sorted(ofGates) },
  ];
  return kinds.filter(({ known }) => known.length > 0);
}

/** Within notes, "human score of" an unknown name is a sentence and no label. */
function namedOf(text: string, kinds: readonly Kind[], inNotes: boolean): Label | null {
  const kind = kinds.find(({ start }) => start.test(text));
  const [start = ''] = kind?.start.exec(text) ?? [];
  if (kind === undefined) return null;
  const { label, known } = kind;
  const rest = text.slice(start.length);
  const sign = ({ name }: EntryName): string | undefined => AFTER_NAME.exec(rest.slice(name.length))?.[0];
  const begins = known.filter(
    (one) => rest.slice(0, one.name.length).toLowerCase() === one.name.toLowerCase() && sign(one) !== undefined,
  );
  const found = begins.find(({ name }) => rest.startsWith(name)) ?? begins[0];
  if (found !== undefined) {
    const length = start.length + found.name.length + (sign(found) ?? '').length;
    return { label, of: found.id, length };
  }
  const [whole, unknown] = (inNotes ? null : UNKNOWN_NAME.exec(rest)) ?? [];
  if (whole === undefined || unknown === undefined) return null;
  return { label, of: unknown.trim(), length: start.length + whole.length };
}

function labelOf(text: string, inNotes: boolean): Label | null {
  for (const [label, pattern] of LABELS) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined && (!inNotes || ALWAYS.test(found))) return { label, length: found.length };
  }
  return null;
}

/**
 * Splits a line into the comments that it begins with, and the rest. An arrow (`-->`) within notes is no mark.
 * `isOpen`: a comment goes on in the next line.
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

function entryOf(label: Pick<Entry, 'label' | 'of'>, text: string, line: number, column: number): Entry {
  const blanks = text.length - text.trimStart().length;
  // Notes keep the indentation of their code and lists.
  return label.label === 'notes'
    ? { ...label, text: text.trimEnd(), line, column }
    : { ...label, text: text.trim(), line, column: column + blanks };
}

/** The lines of a review by what they are. */
export interface ReviewParts {
  /**
   * Labels of scores and verdicts, with what is written for them: also text beside or below an empty label that can be
   * nothing else.
   */
  values: Entry[];
  labels: Entry[];
  reviewer: Entry[];
  /** Text that belongs to no other label. */
  notes: Entry[];
}

/** Reads the lines of a review. Each entry says where its text is. */
export function reviewParts(lines: readonly string[], section: Section, judged: Judged): ReviewParts {
  const entries = readEntries(lines, section, judged);
  const of = (label: Entry['label']): Entry[] => entries.filter((entry) => entry.label === label);
  const values = valueEntries(entries);
  const taken = new Set(values.map(placeKey));
  return {
    values,
    labels: of('labels'),
    reviewer: of('reviewer'),
    notes: of('notes').filter((entry) => !taken.has(placeKey(entry))),
  };
}

function valueEntries(entries: readonly Entry[]): Entry[] {
  const found: Entry[] = [];
  /** The first text after an entry. */
  let next: Entry | null = null;
  for (const entry of [...entries].reverse()) {
    if (isValue(entry)) found.push(withText(entry, next));
    if (entry.text !== '') next = entry;
  }
  // The last of several empty labels above one value has it.
  return [...new Map(found.reverse().map((entry) => [placeKey(entry), entry])).values()];
}

const isValue = ({ label }: Entry): boolean => label === 'score' || label === 'criterion' || label === 'gate';

/** An empty label has the text after it if that can be nothing else. */
function withText(entry: Entry, next: Entry | null): Entry {
  const looksLikeOne = entry.label === 'gate' ? looksLikeVerdict : looksLikeScore;
  return entry.text === '' && next?.label === 'notes' && looksLikeOne(next.text)
    ? { ...entry, text: next.text, line: next.line, column: next.column }
    : entry;
}

const placeKey = ({ line, column }: Entry): string => `${line}:${column}`;
