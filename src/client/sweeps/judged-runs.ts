import { join } from 'node:path';
import { calibrate } from '../../results/calibration/calibrate.js';
import type { Calibration } from '../../results/calibration/document.js';
import { judgeKey, type JudgedRun } from '../../results/calibration/judged-run.js';
import type { HumanReview } from '../../results/records/human-review.js';
import type { ResultLine } from '../../results/records/result-line.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { readReview } from './read-review.js';

/** Reads the human review in a run's folder. */
export type ReviewReader = (folder: string) => HumanReview | null;

/** More of each judge would take longer to read than they are worth. */
const MOST_EARLIER = 500;

/** The criteria by which the judge has scored a run. */
export const criteriaOf = ({ metrics }: Pick<ResultLine, 'metrics'>): string[] =>
  Object.keys(metrics?.judge?.scores ?? {});

/** Returns a function that reads each review once, and warns about it once. */
export function reviewReader(
  resultsPath: string,
  results: readonly ResultLine[],
  warn: (text: string) => void,
): ReviewReader {
  const criteria = new Map(
    results.flatMap((line) =>
      line.results_dir === null ? [] : [[join(resultsPath, line.results_dir), criteriaOf(line)]],
    ),
  );
  const known = new Map<string, HumanReview | null>();
  return (folder) => {
    const review = known.has(folder)
      ? (known.get(folder) ?? null)
      : readReview(folder, criteria.get(folder) ?? [], warn);
    known.set(folder, review);
    return review;
  };
}

/**
 * Compares the judges of a sweep, or of one of its variants, with people, by the reviews in its own runs and in the newest ones of other sweeps that the same judge
 * has scored. `reviewOf` reads the reviews of the sweep itself.
 */
export function calibrationOf(
  resultsPath: string,
  { sweep, variant }: { sweep: string; variant: string | null },
  results: readonly ResultLine[],
  reviewOf: ReviewReader,
): Calibration[] {
  const last = new Map<string, ResultLine>();
  for (const line of results)
    if (line.sweep === sweep && (variant === null || line.variant === variant)) last.set(line.cell, line);
  const own = judgedRuns(resultsPath, [...last.values()], reviewOf);
  if (own.length === 0) return [];
  const folders = new Set([...last.values()].map((line) => line.results_dir));
  const readQuietly = reviewReader(resultsPath, results, () => undefined);
  const left = new Map([...new Set(own.map(judgeKey))].map((judge) => [judge, MOST_EARLIER]));
  const earlier = results.toReversed().filter((line) => {
    const run = unreviewed(line);
    if (run === null || line.results_dir === null || folders.has(line.results_dir)) return false;
    const room = left.get(judgeKey(run)) ?? 0;
    left.set(judgeKey(run), room - 1);
    return room > 0;
  });
  return calibrate(own, judgedRuns(resultsPath, earlier, readQuietly));
}

/** Adds how far the judges of the sweep agree with people, if it has any. */
export function withCalibration(
  document: SweepDocument,
  resultsPath: string,
  results: readonly ResultLine[],
  reviewOf: ReviewReader,
): SweepDocument {
  const { sweep } = document;
  const calibration = calibrationOf(resultsPath, { sweep, variant: null }, results, reviewOf);
  return calibration.length === 0 ? document : { ...document, calibration };
}

/** Returns the runs that a judge has scored, each once, even if it is the result of several cells. */
function judgedRuns(resultsPath: string, lines: readonly ResultLine[], reviewOf: ReviewReader): JudgedRun[] {
  const folders = new Map(
    lines.flatMap((line) => (line.results_dir === null ? [] : [[line.results_dir, line]])),
  );
  return [...folders].flatMap(([folder, line]) => {
    const run = unreviewed(line);
    return run === null ? [] : [{ ...run, human: reviewOf(join(resultsPath, folder)) }];
  });
}

function unreviewed({ scenario_id: scenario, metrics }: ResultLine): JudgedRun | null {
  const judgment = metrics?.judge ?? null;
  return judgment === null ? null : { scenario, judgment, human: null };
}
