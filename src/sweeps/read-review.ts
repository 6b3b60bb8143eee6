import { statSync } from 'node:fs';
import { displayPath, readText } from '#host';
import { createRedactor, systemFailure } from '#lib';
import { HumanReview, type Judged, parseReview, redactFields } from '#model';
import { runFiles } from '#store';

/** An evaluation.md has some kilobytes. The limit allows long reviews, and keeps 500 of them quick to read. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Values of variables are deleted when a sweep ends, so only what looks like a secret can be masked. */
const redact = createRedactor({ secrets: [] });

/**
 * Reads the human review in a run's evaluation.md, redacted; null if there is none. `judged`: what a model has judged.
 * Warns about a score or verdict that cannot be read, with its place in the file.
 */
export function readReview(folder: string, judged: Judged, warn: (text: string) => void): HumanReview | null {
  const file = runFiles(folder).evaluation;
  const text = readEvaluation(file);
  if (text === null) return null;
  const review = typeof text === 'string' ? parseReview(text, judged) : { ...NOTHING, problem: text };
  if (review === null) return null;
  const { score, problem } = review;
  const criteriaScores: Record<string, number> = Object.fromEntries(
    Object.entries(review.criteria).map(([id, { points, max }]) => [id, points / max]),
  );
  const human: HumanReview = {
    score: score === null ? null : score.points / score.max,
    points: score?.points ?? null,
    max: score?.max ?? null,
    ...(Object.keys(criteriaScores).length === 0 ? {} : { criteria: criteriaScores }),
    ...(Object.keys(review.gates).length === 0 ? {} : { gates: review.gates }),
    ...(review.labels.length === 0 ? {} : { labels: review.labels }),
    notes: review.notes,
    reviewer: review.reviewer,
    problem: problem === null ? null : `${problem.line}:${problem.column} ${problem.message}`,
  };
  const redacted = redactFields(human, HumanReview, redact);
  if (redacted.problem !== null) warn(`warning: ${displayPath(file)}:${redacted.problem}`);
  return redacted.problem === null ? redacted : { ...redacted, problem: `evaluation.md:${redacted.problem}` };
}

const NOTHING = { score: null, criteria: {}, gates: {}, labels: [], notes: null, reviewer: null };

type Unreadable = { line: number; column: number; message: string };

/** Reads an evaluation.md; null if there is none. An object says why it cannot be read. */
export function readEvaluation(file: string): string | Unreadable | null {
  const unreadable = (message: string): Unreadable => ({ line: 1, column: 1, message });
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (!stat.isFile()) return unreadable('not a file, so no human review can be read');
    if (stat.size > MAX_BYTES) return unreadable('larger than 4 MiB, so its human review is not read; shorten it');
    return readText(file);
  } catch (error) {
    return unreadable(systemFailure(error) ?? 'cannot be read');
  }
}
