import { join } from 'node:path';
import { z } from 'zod';
import {
  calibrate,
  calibrateGates,
  calibrationFields,
  type Calibrations,
  type DecidedGate,
  gateJudgeKey,
  isJudged,
  type JudgedRun,
  judgeKey,
  type SweepDocument,
  type JudgedFacts,
} from '#decide';
import { type HumanReview, type Judged, judgedIn, type ResultDigest, RunRecord } from '#model';
import { EffectiveScenario, judgeInputs } from '#scenario';
import { readResultsFile, runFiles, scenarioFile } from '#store';
import { knownReviews } from './known-reviews.js';

/** Reads the human review in a run's folder. */
export type ReviewReader = (folder: string) => HumanReview | null;

/** More of each judge would take longer to read than they are worth. */
const MAX_EARLIER = 500;

/** Returns a function that reads each review once, and warns about it once. */
export function reviewReader(
  resultsPath: string,
  results: readonly ResultDigest[],
  warn: (text: string) => void,
): ReviewReader {
  const judged = new Map<string, Judged>();
  for (const { results_dir: folder, metrics } of results)
    if (folder !== null && isJudged({ metrics })) judged.set(`${resultsPath}/${folder}`, judgedIn(metrics));
  // Most runs have no review.
  const known = new Map<string, HumanReview>();
  const reviews = knownReviews(resultsPath);
  return (folder) => {
    const review = known.get(folder) ?? reviews.read(folder, judged.get(folder) ?? judgedIn(null), warn);
    if (review !== null) known.set(folder, review);
    return review;
  };
}

/**
 * Compares the models that judged a sweep, or one of its variants, with people, by the reviews in its own runs and in
 * the newest ones of other sweeps that the same model judged by the same criteria or gates. `reviewOf` reads the
 * reviews of the sweep itself.
 */
export function calibrationsOf(
  resultsPath: string,
  { sweep, variant }: { sweep: string; variant: string | null },
  results: readonly ResultDigest[],
  reviewOf: ReviewReader,
): Calibrations {
  const last = new Map<string, ResultDigest>();
  const isOwn = (line: ResultDigest): boolean => line.sweep === sweep && (variant === null || line.variant === variant);
  if (!results.some((line) => isJudged(line) && isOwn(line))) return { judges: [], gates: [] };
  for (const line of results) if (isOwn(line)) last.set(line.cell, line);
  const own = runsOf([...last.values()]).filter((line) => keysOf(line).length > 0);
  if (own.length === 0) return { judges: [], gates: [] };
  const folders = new Set([...last.values()].map((line) => line.results_dir));
  const left = new Map(own.flatMap(keysOf).map((key) => [key, MAX_EARLIER]));
  const earlier = results.toReversed().filter((line) => {
    if (left.size === 0 || line.results_dir === null || folders.has(line.results_dir)) return false;
    const keys = keysOf(line).filter((key) => (left.get(key) ?? 0) > 0);
    for (const key of keys) left.set(key, (left.get(key) ?? 0) - 1);
    return keys.length > 0;
  });
  const readQuietly = reviewReader(resultsPath, results, () => undefined);
  const reviewed = (lines: readonly ResultDigest[], read: ReviewReader): Reviewed[] =>
    lines.map((line) => ({
      line,
      human: line.results_dir === null ? null : read(`${resultsPath}/${line.results_dir}`),
    }));
  const [mine, others] = [reviewed(own, reviewOf), reviewed(runsOf(earlier), readQuietly)];
  return {
    judges: calibrate(mine.flatMap(judgedRun), others.flatMap(judgedRun)),
    gates: calibrateGates(mine.flatMap(decidedGates), others.flatMap(decidedGates)),
  };
}

/** Adds how far the models that judged the sweep agree with people, if there are any. */
export const withCalibration = (
  document: SweepDocument,
  resultsPath: string,
  results: readonly ResultDigest[],
  reviewOf: ReviewReader,
): SweepDocument => ({
  ...document,
  ...calibrationFields(calibrationsOf(resultsPath, { sweep: document.sweep, variant: null }, results, reviewOf)),
});

interface Reviewed {
  line: ResultDigest;
  human: HumanReview | null;
}

/** Returns each run once, even if it is the result of several cells. */
const runsOf = (lines: readonly ResultDigest[]): ResultDigest[] => [
  ...new Map(lines.flatMap((line) => (line.results_dir === null ? [] : [[line.results_dir, line] as const]))).values(),
];

function judgedRun({ line: { scenario_id: scenario, metrics }, human }: Reviewed): JudgedRun[] {
  const judgment = metrics?.judge ?? null;
  return judgment === null ? [] : [{ scenario, judgment, human }];
}

const decidedGates = ({ line: { scenario_id: scenario, metrics }, human }: Reviewed): DecidedGate[] =>
  (metrics?.details ?? []).flatMap((gate) =>
    gate.judged_by === undefined || gate.status === 'error'
      ? []
      : [{ scenario, judge: gate.judged_by, gate, human: human?.gates?.[String(gate.index + 1)] ?? null }],
  );

/** Keys that tell apart the models that judged a run, and their questions. */
const keysOf = (line: ResultDigest): string[] => [
  ...judgedRun({ line, human: null }).map(judgeKey),
  ...decidedGates({ line, human: null }).map(gateJudgeKey),
];

const ModelAnswers = z.object(RunRecord.pick({ asked: true }).shape);

/** Reads what the models that judged runs were asked, and what that has cost. What cannot be read is unknown. */
export function judgedFacts(resultsPath: string): JudgedFacts {
  const questions = new Map<string, string | null>();
  return {
    question({ scenario_hash: hash }) {
      const known = questions.get(hash);
      if (known !== undefined) return known;
      const read = ifReadable(() => judgeInputs(readResultsFile(scenarioFile(resultsPath, hash), EffectiveScenario)));
      questions.set(hash, read);
      return read;
    },
    cost({ metrics, results_dir: folder }) {
      const judge = metrics?.judge == null ? 0 : metrics.judge.cost_usd;
      const record =
        folder === null
          ? null
          : ifReadable(() => readResultsFile(runFiles(join(resultsPath, folder)).run, ModelAnswers));
      if (judge === null || record === null) return null;
      const asked = record.asked === undefined ? 0 : record.asked.cost_usd;
      return asked === null ? null : judge + asked;
    },
  };
}

function ifReadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
