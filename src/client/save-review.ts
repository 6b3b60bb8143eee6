import { displayPath, writeFileAtomic } from '#host';
import { createMutex, createRedactor, sha256, UsageError } from '#lib';
import {
  fieldsOfReview,
  type Judged,
  NO_REVIEW,
  parseReview,
  type ReviewFields,
  reviewOfFields,
  writeReview,
} from '#model';
import { runFiles } from '#store';
import { readEvaluation } from '#sweeps';

/** The review in a run's evaluation.md, for a form. */
export interface EditableReview {
  /** Changes whenever the file does. */
  version: string;
  /** Redacted, like everything that is shown of a review. */
  fields: ReviewFields;
  /** The part of the file that cannot be read, with its place; null if all can. */
  problem: string | null;
}

/** Reads the review of a run. @throws UsageError if its evaluation.md is gone or cannot be read */
export const editableReview = (folder: string, judged: Judged): EditableReview => editable(readText(folder), judged);

/**
 * Saves a review into the evaluation.md of a run, if the file is still the one with this version; else returns what it
 * has now, and changes nothing. A field that is still as it was shown is not written, so what is masked in it stays in
 * the file.
 *
 * @throws UsageError if a field cannot be read, or would not be read again as it is
 */
export const saveReview = (
  folder: string,
  judged: Judged,
  { version, fields }: Pick<EditableReview, 'version' | 'fields'>,
): Promise<{ saved: boolean; review: EditableReview }> =>
  oneByOne(async () => {
    const text = readText(folder);
    const now = editable(text, judged);
    if (now.version !== version) return { saved: false, review: now };
    const stored = fieldsOfReview(parseReview(text, judged) ?? NO_REVIEW);
    const unmasked = { ...fields };
    for (const name of ['labels', 'reviewer', 'notes'] as const)
      if (fields[name] === now.fields[name]) unmasked[name] = stored[name];
    const asked = reviewOfFields(unmasked);
    if ('problem' in asked) throw new UsageError('usage', asked.problem);
    const written = writeReview(text, asked.review, judged);
    if (written.kind === 'refused') throw new UsageError('usage', written.reason);
    if (written.text !== text) await writeFileAtomic(runFiles(folder).evaluation, written.text);
    return { saved: true, review: editable(written.text, judged) };
  });

/** A lock within this process; it holds no data. */
const oneByOne = createMutex();

/** Values of variables are deleted when a sweep ends, so only what looks like a secret can be masked. */
const redact = createRedactor({ secrets: [] });

function editable(text: string, judged: Judged): EditableReview {
  const { problem, ...review } = parseReview(text, judged) ?? NO_REVIEW_READ;
  const { labels, reviewer, notes, ...fields } = fieldsOfReview(review);
  return {
    version: sha256(text),
    fields: { ...fields, labels: redact(labels), reviewer: redact(reviewer), notes: redact(notes) },
    problem: problem === null ? null : redact(`evaluation.md:${problem.line}:${problem.column} ${problem.message}`),
  };
}

const NO_REVIEW_READ = { ...NO_REVIEW, problem: null };

function readText(folder: string): string {
  const file = runFiles(folder).evaluation;
  const text = readEvaluation(file);
  if (typeof text === 'string') return text;
  const reason = text === null ? 'is gone, so there is no place for a review' : `is ${text.message}`;
  throw new UsageError('results_broken', `${displayPath(file)} ${reason}`);
}
