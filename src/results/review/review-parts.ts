import { looksLikeScore } from './parse-score.js';
import { looksLikeVerdict } from './parse-verdict.js';
import { readEntries, type Entry } from './read-entries.js';
import type { Judged } from './judged.js';
import type { Section } from './review-section.js';

/** The lines of a review by what they are. */
export interface ReviewParts {
  /** Labels of scores and verdicts, with what is written for them: also a line below an empty label that can be nothing else. */
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
  const written = entries.filter(({ text }) => text !== '');
  const found = entries.flatMap((entry): Entry[] => {
    if (entry.label !== 'score' && entry.label !== 'criterion' && entry.label !== 'gate') return [];
    const looksLikeOne = entry.label === 'gate' ? looksLikeVerdict : looksLikeScore;
    const next = written.find(({ line }) => line > entry.line);
    return entry.text === '' && next?.label === 'notes' && looksLikeOne(next.text)
      ? [{ ...entry, text: next.text, line: next.line, column: next.column }]
      : [entry];
  });
  // Of several empty labels above one value, the last has it.
  return [...new Map(found.map((entry) => [placeKey(entry), entry])).values()];
}

const placeKey = ({ line, column }: Entry): string => `${line}:${column}`;
