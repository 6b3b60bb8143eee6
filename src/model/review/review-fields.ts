import { z } from 'zod';
import { parseLabels, parseVerdict } from './parse-verdict.js';
import { parseScore } from './parse-score.js';
import type { Review } from './write-review.js';

/** A review as a form has it: each field as a person would write it into evaluation.md. Empty texts say nothing. */
export const ReviewFields = z.strictObject({
  score: z.string().describe('4/5, 8/10 or 80%'),
  /** By criterion of the judge. */
  criteria: z.record(z.string(), z.string()),
  /** By the number of the gate, from 1: pass or fail. */
  gates: z.record(z.string(), z.string()),
  labels: z.string(),
  reviewer: z.string(),
  notes: z.string(),
});
export type ReviewFields = z.infer<typeof ReviewFields>;

/** The fields of a review in a form. */
export const fieldsOfReview = ({ score, criteria, gates, labels, reviewer, notes }: Review): ReviewFields => ({
  score: score === null ? '' : pointsText(score),
  criteria: Object.fromEntries(Object.entries(criteria).map(([id, points]) => [id, pointsText(points)])),
  gates: { ...gates },
  labels: labels.join(', '),
  reviewer: reviewer ?? '',
  notes: notes ?? '',
});

const pointsText = ({ points, max }: NonNullable<Review['score']>): string => `${points}/${max}`;

/** Reads a filled-in form. Returns why if a field cannot be read. */
export function reviewOfFields(fields: ReviewFields): { review: Review } | { problem: string } {
  const problems: string[] = [];
  const points = (name: string, text: string): Review['score'] => {
    const read = parseScore(text);
    if (read.kind === 'unreadable') problems.push(`${name}: ${read.reason}`);
    if (read.kind !== 'score') return null;
    if (read.remark !== '') problems.push(`${name}: put '${read.remark}' into the notes`);
    return { points: read.points, max: read.max };
  };
  const verdict = (name: string, text: string): 'pass' | 'fail' | null => {
    const read = parseVerdict(text);
    if (read.kind === 'unreadable') problems.push(`${name}: ${read.reason}`);
    return read.kind === 'verdict' ? read.verdict : null;
  };
  const { labels, problem } = parseLabels(fields.labels);
  if (problem !== null) problems.push(`labels: ${problem}`);
  const review: Review = {
    score: points('score', fields.score),
    criteria: readEach(fields.criteria, points),
    gates: readEach(fields.gates, (number, text) => verdict(`gate ${number}`, text)),
    labels,
    notes: fields.notes,
    reviewer: fields.reviewer,
  };
  return problems.length === 0 ? { review } : { problem: problems.join('; ') };
}

/** Reads each entry of a record, and leaves out those that say nothing. */
const readEach = <T>(
  texts: Readonly<Record<string, string>>,
  read: (name: string, text: string) => T | null,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const value = read(name, text);
      return value === null ? [] : [[name, value]];
    }),
  );
