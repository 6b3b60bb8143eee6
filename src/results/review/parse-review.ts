import { groupBy } from '../../lib/group-by.js';
import { beginningOf } from '../../lib/format/truncate.js';
import { looksLikeScore, parseScore } from './parse-score.js';
import { readEntries, type Entry } from './read-entries.js';
import { findSection, linesOf, REVIEW_HEADING } from './review-section.js';

interface Points {
  points: number;
  max: number;
}

interface Problem {
  line: number;
  column: number;
  message: string;
}

/** A review as it is written. Line and column of the problem count from 1. */
export interface ParsedReview {
  score: Points | null;
  /** By criterion. Those without a score are left out. */
  criteria: Record<string, Points>;
  notes: string | null;
  reviewer: string | null;
  problem: Problem | null;
}

/**
 * Reads the human review in the text of an evaluation.md; null if nobody has written one. `criteria`: those that the
 * judge has scored, for which the form has lines.
 */
export function parseReview(text: string, criteria: readonly string[] = []): ParsedReview | null {
  if (text.includes('\0')) return broken(1, 1, 'not UTF-8 text; save the file as UTF-8');
  const lines = linesOf(text);
  const section = findSection(lines);
  if (section === null) return withoutSection(lines);
  const entries = readEntries(lines, section, criteria);
  const scores = scoreEntries(entries);
  const taken = new Set(scores.map(placeKey));
  const overall = readScore(scores.filter(({ criterion }) => criterion === undefined));
  const byCriterion = groupBy(
    scores.filter(({ criterion }) => criterion !== undefined),
    ({ criterion = '' }) => criterion,
  ).map((group) => readCriterion(group[0]?.criterion ?? '', group, criteria));
  const notes = [overall, ...byCriterion]
    .map(({ remark }) => remark)
    .concat(textOf(entries.filter((entry) => entry.label === 'notes' && !taken.has(placeKey(entry)))))
    .filter((part) => part !== '')
    .join('\n\n');
  const reviewer = textOf(entries.filter(({ label }) => label === 'reviewer'));
  const isEmpty = [overall, ...byCriterion].every(({ score, problem }) => score === null && problem === null);
  if (isEmpty && notes === '' && reviewer === '') return null;
  return {
    score: overall.score,
    criteria: Object.fromEntries(
      byCriterion.flatMap(({ criterion, score }) => (score === null ? [] : [[criterion, score]])),
    ),
    notes: notes === '' ? null : notes,
    reviewer: reviewer === '' ? null : reviewer,
    problem: [overall, ...byCriterion].find(({ problem }) => problem !== null)?.problem ?? null,
  };
}

interface ReadScore {
  score: Points | null;
  /** Text after the score, which becomes part of the notes. */
  remark: string;
  problem: Problem | null;
}

/** Reads the only score among the entries of one label. */
function readScore(entries: readonly Entry[]): ReadScore {
  const [first, second] = entries.filter(({ text }) => parseScore(text).kind !== 'none');
  if (first === undefined) return { score: null, remark: '', problem: null };
  const read = parseScore(first.text);
  const remark = read.kind === 'score' ? read.remark : '';
  const problem =
    second !== undefined
      ? { ...placeOf(second), message: 'a second score; leave only one' }
      : read.kind === 'unreadable'
        ? { ...placeOf(first), message: read.reason }
        : null;
  return {
    score: problem === null && read.kind === 'score' ? { points: read.points, max: read.max } : null,
    remark,
    problem,
  };
}

/** Like `readScore`. Of a criterion that the judge has not scored, a score has nothing to be compared with. */
function readCriterion(
  criterion: string,
  entries: readonly Entry[],
  known: readonly string[],
): ReadScore & { criterion: string } {
  const read = readScore(entries);
  const remark = read.remark === '' ? '' : `${criterion}: ${read.remark}`;
  if (known.includes(criterion) || read.score === null) return { ...read, criterion, remark };
  const message = `the judge has no criterion '${beginningOf(criterion, 40)}'; it has ${known.join(', ')}`;
  const [place] = entries.map(placeOf);
  return { criterion, score: null, remark, problem: { line: 1, column: 1, ...place, message } };
}

/** Returns the entries that are scores: also a line below an empty score that can be nothing else. */
function scoreEntries(entries: readonly Entry[]): Entry[] {
  const written = entries.filter(({ text }) => text !== '');
  const found = entries.flatMap((entry): Entry[] => {
    if (entry.label !== 'score' && entry.label !== 'criterion') return [];
    const next = written.find(({ line }) => line > entry.line);
    return entry.text === '' && next?.label === 'notes' && looksLikeScore(next.text)
      ? [{ ...entry, text: next.text, line: next.line, column: next.column }]
      : [entry];
  });
  // Of several empty labels above one score, the last has it.
  return [...new Map(found.map((entry) => [placeKey(entry), entry])).values()];
}

const placeKey = ({ line, column }: Entry): string => `${line}:${column}`;

const textOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ text }) => text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const placeOf = ({ line, column }: Entry) => ({ line, column });

const broken = (line: number, column: number, message: string): ParsedReview => ({
  ...{ score: null, criteria: {}, notes: null, reviewer: null },
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
