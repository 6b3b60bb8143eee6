import { beginningOf, groupBy } from '#lib';
import type { GateVerdict } from '../records/human-review.js';
import { shortLabelOfGate, type Judged } from './judged.js';
import { parseLabels, parseVerdict } from './parse-verdict.js';
import { parseScore } from './parse-score.js';
import { type Entry, reviewParts } from './read-entries.js';
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
  /** By the gate's number, from 1. Those without a verdict are left out. */
  gates: Record<string, GateVerdict>;
  labels: string[];
  notes: string | null;
  reviewer: string | null;
  problem: Problem | null;
}

/**
 * Reads the human review in the text of an evaluation.md; null if nobody has written one. `judged`: what a model has
 * judged, for which the form has lines.
 */
export function parseReview(text: string, judged: Judged = NOTHING_JUDGED): ParsedReview | null {
  if (text.includes('\0')) return broken(1, 1, 'not UTF-8 text; save the file as UTF-8');
  const lines = linesOf(text);
  const section = findSection(lines);
  if (section === null) return withoutSection(lines);
  const { values, ...rest } = reviewParts(lines, section, judged);
  const of = (label: Entry['label']): Entry[] => values.filter((entry) => entry.label === label);
  const readScore = (found: readonly Entry[]) => readOne(found, 'score', pointsIn);
  const overall = readScore(of('score'));
  const criteria = readEach(
    of('criterion'),
    readScore,
    judged.criteria.map((id) => ({ id, name: id })),
    (written) => `the judge has no criterion '${written}'; it has ${judged.criteria.join(', ')}`,
  );
  const gates = readEach(
    of('gate'),
    (found) => readOne(found, 'verdict', verdictIn),
    judged.gates.map((gate) => ({ id: String(gate.number), name: shortLabelOfGate(gate) })),
    (written) => `no model has judged '${written}'; it has judged ${judged.gates.map(shortLabelOfGate).join(', ')}`,
  );
  const labels = readLabels(rest.labels);
  const all = [overall, ...criteria, ...gates];
  const notes = all
    .map(({ remark }) => remark)
    .concat(textOf(rest.notes))
    .filter((part) => part !== '')
    .join('\n\n');
  const reviewer = textOf(rest.reviewer);
  const isEmpty = [...all, labels].every(({ value, problem }) => value === null && problem === null);
  if (isEmpty && notes === '' && reviewer === '') return null;
  return {
    score: overall.value,
    criteria: valuesOf(criteria),
    gates: valuesOf(gates),
    labels: labels.value ?? [],
    notes: notes === '' ? null : notes,
    reviewer: reviewer === '' ? null : reviewer,
    problem: [...all, labels].find(({ problem }) => problem !== null)?.problem ?? null,
  };
}

const NOTHING_JUDGED: Judged = { criteria: [], gates: [] };

/** A label as it was read. */
interface ReadLabel<T> {
  value: T | null;
  /** Text after the value, which becomes part of the notes. */
  remark: string;
  problem: Problem | null;
}

type Parsed<T> =
  { kind: 'none' } | { kind: 'value'; value: T; remark: string } | { kind: 'unreadable'; reason: string };

const pointsIn = (text: string): Parsed<Points> => {
  const read = parseScore(text);
  return read.kind === 'score'
    ? { kind: 'value', value: { points: read.points, max: read.max }, remark: read.remark }
    : read;
};
const verdictIn = (text: string): Parsed<GateVerdict> => {
  const read = parseVerdict(text);
  return read.kind === 'verdict' ? { kind: 'value', value: read.verdict, remark: read.remark } : read;
};

/** Reads the only value among the entries of one label. */
function readOne<T>(
  entries: readonly Entry[],
  what: 'score' | 'verdict',
  parse: (text: string) => Parsed<T>,
): ReadLabel<T> {
  const [first, second] = entries.filter(({ text }) => parse(text).kind !== 'none');
  if (first === undefined) return { value: null, remark: '', problem: null };
  const read = parse(first.text);
  const problem =
    second !== undefined
      ? { ...placeOf(second), message: `a second ${what}; leave only one` }
      : read.kind === 'unreadable'
        ? { ...placeOf(first), message: read.reason }
        : null;
  return {
    value: problem === null && read.kind === 'value' ? read.value : null,
    remark: read.kind === 'value' ? read.remark : '',
    problem,
  };
}

/** Reads what is said of each criterion, or of each gate. What no model has judged has nothing to be compared with. */
function readEach<T>(
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => ReadLabel<T>,
  known: readonly { id: string; name: string }[],
  unknown: (written: string) => string,
): (ReadLabel<T> & { id: string })[] {
  return groupBy(entries, ({ of = '' }) => of).map((group) => {
    const id = group[0]?.of ?? '';
    const found = read(group);
    const name = known.find((one) => one.id === id)?.name;
    const remark = found.remark === '' ? '' : `${name ?? id}: ${found.remark}`;
    if (name !== undefined || found.value === null) return { ...found, id, remark };
    const [place] = group.map(placeOf);
    const problem = { line: 1, column: 1, ...place, message: unknown(beginningOf(id, 40)) };
    return { id, value: null, remark, problem };
  });
}

const valuesOf = <T>(found: readonly (ReadLabel<T> & { id: string })[]): Record<string, T> =>
  Object.fromEntries(found.flatMap(({ id, value }) => (value === null ? [] : [[id, value]])));

/** Reads the labels of all lines that have some. */
function readLabels(entries: readonly Entry[]): Omit<ReadLabel<string[]>, 'remark'> {
  const read = entries.map((entry) => ({ entry, ...parseLabels(entry.text) }));
  const labels = [...new Set(read.flatMap((one) => one.labels))];
  const [wrong] = read.flatMap(({ entry, problem }) =>
    problem === null ? [] : [{ ...placeOf(entry), message: problem }],
  );
  return { value: labels.length === 0 ? null : labels, problem: wrong ?? null };
}

const textOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ text }) => text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const placeOf = ({ line, column }: Entry) => ({ line, column });

const broken = (line: number, column: number, message: string): ParsedReview => ({
  score: null,
  criteria: {},
  gates: {},
  labels: [],
  notes: null,
  reviewer: null,
  problem: { line, column, message },
});

/** Elsewhere in the file, a line that looks like a score may be foreign text, such as the summary of an evaluator. */
function withoutSection(lines: readonly string[]): ParsedReview | null {
  const at = lines.findIndex((line) => /human (?:score|verdict)/i.test(line));
  if (at === -1) return null;
  return broken(
    at + 1,
    1,
    `a human score or verdict is only read below the heading '## ${REVIEW_HEADING}'; put it back`,
  );
}
