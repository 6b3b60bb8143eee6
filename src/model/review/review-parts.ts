import { looksLikeScore } from './parse-score.js';
import { looksLikeVerdict } from './parse-verdict.js';
import { readEntries, type Entry } from './read-entries.js';
import type { Judged } from './judged.js';
import type { Section } from './review-section.js';

/** The lines of a review by what they are. */
export interface ReviewParts {
  /** Labels of scores and verdicts, with what is written for them: also text beside or below an empty label that can be nothing else. */
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
  // Of several empty labels above one value, the last has it.
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
