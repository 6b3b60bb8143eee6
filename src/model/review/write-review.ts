import { canonicalJson, groupBy } from '#lib';
import { labelOfGate, type Judged } from './judged.js';
import { parseReview, type ParsedReview } from './parse-review.js';
import { parseScore } from './parse-score.js';
import { parseVerdict } from './parse-verdict.js';
import { type Entry, reviewParts, type ReviewParts } from './read-entries.js';
import { findSection, linesOf, nameInForm, NEXT_HEADING, REVIEW_HEADING } from './review-section.js';

/** A line with the characters that end it; the last one has none. */
interface Line {
  text: string;
  end: string;
}

/** Text that is put into the place of other text. Line and column count from 1. */
interface TextChange {
  line: number;
  column: number;
  length: number;
  text: string;
}

/** Splits a text into its lines, whatever ends them. */
function eachLine(text: string): Line[] {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  return linesOf(text).map((line, at) => ({ text: line, end: ends[at] ?? '' }));
}

/** The rest of a line from which all text was taken. */
const EMPTY = /^\s*(?:<!--\s*-->\s*)?$/;

/** Makes changes, which do not overlap. Lines of which nothing is left are left out. */
function editLines(lines: readonly Line[], changes: readonly TextChange[]): Line[] {
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

/** The contents of a review. */
export type Review = Omit<ParsedReview, 'problem'>;

export const NO_REVIEW: Review = {
  score: null,
  criteria: {},
  gates: {},
  labels: [],
  notes: null,
  reviewer: null,
};

type WrittenReview = { kind: 'written'; text: string } | { kind: 'refused'; reason: string };

/**
 * Writes a review into the text of an evaluation.md. Only what differs from what the text says is written, where it is
 * said; all other text and the ends of lines stay. Refuses what would not be read again as it was asked for, for
 * example notes with a line that is a label.
 */
export function writeReview(text: string, asked: Review, judged: Judged): WrittenReview {
  if (text.includes('\0')) return { kind: 'refused', reason: 'evaluation.md is not UTF-8 text' };
  const wanted = normal(asked);
  const whole = withSection(text);
  const before = readIn(whole, judged);
  if (isSame(before, wanted)) return { kind: 'written', text };
  const written = [false, true].map((addsLabel) => rewritten(whole, { before, wanted, judged, addsLabel }));
  const found = written.find((one) => isSame(readIn(one, judged), wanted));
  if (found !== undefined) return { kind: 'written', text: found };
  const read = readIn(written[0] ?? whole, judged);
  const names = (Object.keys(NO_REVIEW) as (keyof Review)[]).filter(
    (name) => !isSame({ ...wanted, [name]: read[name] }, wanted),
  );
  return {
    kind: 'refused',
    reason: `${names.join(' and ')} would be read as something else; leave out lines that look like a label, a comment or a heading of evaluation.md`,
  };
}

/** The notes as they are read again: without blanks at the ends of lines, and with at most one empty line in a row. */
function normal({ notes, reviewer, ...review }: Review): Review {
  const lines = linesOf(notes ?? '').map((line) => line.trimEnd());
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const name = (reviewer ?? '').trim();
  return { ...review, notes: text === '' ? null : text, reviewer: name === '' ? null : name };
}

const readIn = (text: string, judged: Judged): Review => parseReview(text, judged) ?? NO_REVIEW;

const isSame = (a: Review, b: Review): boolean =>
  canonicalJson(comparableFields(a)) === canonicalJson(comparableFields(b));

const comparableFields = ({ score, criteria, gates, labels, notes, reviewer }: Review): Review => ({
  score,
  criteria,
  gates,
  labels,
  notes,
  reviewer,
});

/** Adds the section to a text that has none. */
function withSection(text: string): string {
  const lines = eachLine(text);
  if (findSection(linesOf(text)) !== null) return text;
  const end = endOf(lines);
  const next = lines.findLastIndex((line) => line.text.trim() === `## ${NEXT_HEADING}`);
  const at = next === -1 ? lines.length : next;
  const before = joined(lines.slice(0, at));
  const gap = before === '' || /[\r\n]$/.test(before) ? '' : end;
  return `${before}${gap}## ${REVIEW_HEADING}${end}${end}${joined(lines.slice(at))}`;
}

const joined = (lines: readonly Line[]): string => lines.map(({ text, end }) => `${text}${end}`).join('');
const endOf = (lines: readonly Line[]): string => lines[0]?.end || '\n';

interface Rewriting {
  before: Review;
  wanted: Review;
  judged: Judged;
  /** True if the notes need their label, so that they are not taken for something else. */
  addsLabel: boolean;
}

function rewritten(text: string, { before, wanted, judged, addsLabel }: Rewriting): string {
  const lines = eachLine(text);
  const section = findSection(linesOf(text));
  if (section === null) return text;
  const parts = reviewParts(linesOf(text), section, judged);
  const fields = fieldsOf(parts, before, wanted);
  const losesRemark = fields.some(({ entries, is, shall }) => is !== shall && entries.some(hasRemark));
  const writesNotes = losesRemark || before.notes !== wanted.notes;
  const changes = [
    ...fields.flatMap((field) => fieldChanges(field, writesNotes)),
    ...(writesNotes ? parts.notes.filter((entry) => entry.text !== '').map((entry) => replaced(entry, '')) : []),
  ];
  const edited = editLines(lines, changes);
  const added = missingLines(fields, wanted, judged).flatMap((line) => ['', line]);
  const begin = section.begin; // no line above it has changed
  const withFields = [
    ...edited.slice(0, begin),
    ...added.map((line) => ({ text: line, end: endOf(lines) })),
    ...edited.slice(begin),
  ];
  return joined(writesNotes ? withNotes(withFields, wanted.notes, addsLabel) : withFields);
}

/** Something that a label says: its lines, what they say, and what they shall say. Both as they are written. */
interface Field {
  label: Entry['label'];
  of: string | undefined;
  entries: readonly Entry[];
  is: string;
  shall: string;
}

function fieldsOf(parts: ReviewParts, before: Review, wanted: Review): Field[] {
  const found = groupBy([...parts.values, ...parts.labels, ...parts.reviewer], keyOf).map((entries) => {
    const { label, of } = entries[0] as Entry;
    const words = (review: Review): string => wordsOf(review, { label, of });
    return { label, of, entries, is: words(before), shall: words(wanted) };
  });
  const known = new Set(found.map(keyOf));
  const names: Pick<Field, 'label' | 'of'>[] = [
    { label: 'score', of: undefined },
    ...Object.keys(wanted.criteria).map((of) => ({ label: 'criterion' as const, of })),
    ...Object.keys(wanted.gates).map((of) => ({ label: 'gate' as const, of })),
    { label: 'labels', of: undefined },
    { label: 'reviewer', of: undefined },
  ];
  const missing = names.filter((name) => !known.has(keyOf(name)));
  return [
    ...found,
    ...missing.map((name) => ({
      ...name,
      entries: [],
      is: emptyOf(name.label),
      shall: wordsOf(wanted, name),
    })),
  ];
}

const keyOf = ({ label, of }: { label: Entry['label']; of?: string | undefined }): string =>
  JSON.stringify([label, of ?? null]);

/** The empty value of a field in the form. */
const emptyOf = (label: Entry['label']): string =>
  label === 'score' || label === 'criterion' ? '__/5' : label === 'gate' ? '__' : '';

function wordsOf(review: Review, { label, of = '' }: Pick<Field, 'label' | 'of'>): string {
  const score = label === 'score' ? review.score : label === 'criterion' ? review.criteria[of] : null;
  if (score !== null && score !== undefined) return `${score.points}/${score.max}`;
  if (label === 'gate') return review.gates[of] ?? emptyOf(label);
  if (label === 'labels') return review.labels.join(', ');
  return label === 'reviewer' ? (review.reviewer ?? '') : emptyOf(label);
}

/**
 * The first line of a label gets what it shall say. A remark, which belongs to the notes, goes where the notes are
 * written anew.
 */
function fieldChanges({ label, entries, is, shall }: Field, writesNotes: boolean): TextChange[] {
  if (is !== shall) return entries.map((entry, number) => replaced(entry, number === 0 ? shall : emptyOf(label)));
  return writesNotes ? entries.filter(hasRemark).map((entry) => replaced(entry, valueIn(entry).text)) : [];
}

const hasRemark = (entry: Entry): boolean => valueIn(entry).remark !== '';

/** The value that a line has, as it would be written alone, and the remark after it. */
function valueIn({ label, text }: Entry): { text: string; remark: string } {
  if (label === 'score' || label === 'criterion') {
    const read = parseScore(text);
    if (read.kind === 'score') return { text: `${read.points}/${read.max}`, remark: read.remark };
  }
  if (label === 'gate') {
    const read = parseVerdict(text);
    if (read.kind === 'verdict') return { text: read.verdict, remark: read.remark };
  }
  return { text, remark: '' };
}

function replaced({ line, column, text: old }: Entry, text: string): TextChange {
  return { line, column, length: old.length, text };
}

/** Lines of the form for what has none. */
const missingLines = (fields: readonly Field[], { reviewer }: Review, judged: Judged): string[] =>
  fields
    .filter(({ entries, is, shall }) => entries.length === 0 && is !== shall)
    .map(({ label, of = '', shall }) => {
      const gate = judged.gates.find(({ number }) => String(number) === of);
      const names: Partial<Record<Entry['label'], string>> = {
        score: 'Human Score',
        criterion: `Human Score of ${nameInForm(of)}`,
        gate: `Human Verdict on ${nameInForm(gate === undefined ? `gate ${of}` : labelOfGate(gate))}`,
        labels: 'Labels',
        reviewer: 'Reviewer',
      };
      return `<!-- ${names[label] ?? ''}: ${label === 'reviewer' ? (reviewer ?? '') : shall} -->`;
    });

const NOTES_LABEL = '<!-- Further Human Notes: -->';

/** Puts the notes at the end of the section, from which the earlier ones have been taken. */
function withNotes(lines: readonly Line[], notes: string | null, addsLabel: boolean): Line[] {
  const section = findSection(lines.map(({ text }) => text));
  if (section === null) return [...lines];
  const end = endOf(lines);
  let last = section.end;
  while (last > section.begin && lines[last - 1]?.text.trim() === '') last -= 1;
  const above = lines.slice(0, last).map((line) => ({ ...line, end: line.end || end }));
  const below = lines.slice(section.end);
  const texts = [...(addsLabel ? ['', NOTES_LABEL] : []), ...(notes === null ? [] : ['', ...notes.split('\n')])];
  return [
    ...above,
    ...texts.map((text) => ({ text, end })),
    below.length === 0 ? { text: '', end: '' } : { text: '', end },
    ...below,
  ];
}
