import { z } from 'zod';
import { editableReview, type EditableReview, saveReview } from '#client';
import { UsageError } from '#lib';
import { type Judged, judgedIn, Metrics, ReviewFields } from '#model';
import { readResultsFile, runFiles } from '#store';
import { findRun, type RunSource } from './runs.js';

const SavedReview = z.strictObject({ version: z.string(), fields: ReviewFields });

/** Reads the review of a run for a form. @throws UsageError if there is no such run, or it is not over */
export async function reviewOf(source: RunSource, id: string): Promise<EditableReview> {
  const { folder, judged } = await reviewedRun(source, id);
  return editableReview(folder, judged);
}

/** Saves what was filled in; see `saveReview`. @throws UsageError if that is impossible */
export async function storeReview(
  source: RunSource,
  id: string,
  body: unknown,
): Promise<{ saved: boolean; review: EditableReview }> {
  const { folder, judged } = await reviewedRun(source, id);
  const read = SavedReview.safeParse(body);
  if (!read.success) throw new UsageError('usage', z.prettifyError(read.error));
  return saveReview(folder, judged, read.data);
}

async function reviewedRun(source: RunSource, id: string): Promise<{ folder: string; judged: Judged }> {
  const place = await findRun(source, id);
  if ('open' in place) throw new UsageError('usage', 'the run is not over; review it when it is');
  const { folder } = place;
  return { folder, judged: judgedIn(readResultsFile(runFiles(folder).metrics, Metrics)) };
}
