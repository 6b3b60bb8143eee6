import { looksLikeScore, parseScore } from './parse-score.js';
import { readEntries, type Entry } from './read-entries.js';
import { findSection, linesOf, REVIEW_HEADING } from './review-section.js';

/** A review as it is written. Line and column of the problem count from 1. */
export interface ParsedReview {
  score: { points: number; max: number } | null;
  notes: string | null;
  reviewer: string | null;
  problem: { line: number; column: number; message: string } | null;
}

/** Reads the human review in the text of an evaluation.md; null if nobody has written one. */
export function parseReview(text: string): ParsedReview | null {
  if (text.includes('\0')) return broken(1, 1, 'not UTF-8 text; save the file as UTF-8');
  const lines = linesOf(text);
  const section = findSection(lines);
  if (section === null) return withoutSection(lines);
  const entries = readEntries(lines, section);
  const scores = scoreEntries(entries);
  const [first, second] = scores.filter(({ text: written }) => parseScore(written).kind !== 'none');
  const score = first === undefined ? null : parseScore(first.text);
  const remark = score?.kind === 'score' ? score.remark : '';
  const notes = [
    remark,
    textOf(entries.filter((entry) => entry.label === 'notes' && !scores.includes(entry))),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  const reviewer = textOf(entries.filter(({ label }) => label === 'reviewer'));
  const problem =
    second !== undefined
      ? { ...placeOf(second), message: 'a second score; leave only one' }
      : first !== undefined && score?.kind === 'unreadable'
        ? { ...placeOf(first), message: score.reason }
        : null;
  if (first === undefined && notes === '' && reviewer === '') return null;
  return {
    score: problem === null && score?.kind === 'score' ? { points: score.points, max: score.max } : null,
    notes: notes === '' ? null : notes,
    reviewer: reviewer === '' ? null : reviewer,
    problem,
  };
}

/** Returns the entries that are scores: also a line below an empty score that can be nothing else. */
function scoreEntries(entries: readonly Entry[]): Entry[] {
  const written = entries.filter(({ text }) => text !== '');
  const found = entries.flatMap((entry) => {
    if (entry.label !== 'score') return [];
    const next = written.find(({ line }) => line > entry.line);
    return entry.text === '' && next?.label === 'notes' && looksLikeScore(next.text) ? [next] : [entry];
  });
  return [...new Set(found)];
}

const textOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ text }) => text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const placeOf = ({ line, column }: Entry) => ({ line, column });

const broken = (line: number, column: number, message: string): ParsedReview => ({
  ...{ score: null, notes: null, reviewer: null },
  problem: { line, column, message },
});

/** Elsewhere in the file, a line that looks like a score may be foreign text, such as the summary of an evaluator. */
function withoutSection(lines: readonly string[]): ParsedReview | null {
  const at = lines.findIndex((line) => /human score/i.test(line));
  if (at === -1) return null;
  return broken(
    at + 1,
    1,
    `a human score is only read below the heading '## ${REVIEW_HEADING}'; put it back`,
  );
}
