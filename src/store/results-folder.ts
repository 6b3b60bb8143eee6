import { join, sep } from 'node:path';

/** Paths in a results folder; its layout is a contract (specs/reference/results.md). */
export const storeFolder = (results: string): string => join(results, '.store');
export const scenarioFile = (results: string, hash: string): string =>
  join(storeFolder(results), hash, 'scenario.json');
export const fixtureFolder = (results: string, hash: string): string => join(storeFolder(results), hash);
export const sweepsFolder = (results: string): string => join(results, 'sweeps');
/** What `clean` uses: its lock, and what it is about to delete. */
export const cleanFolder = (results: string): string => join(results, '.clean');
const sweepFolder = (results: string, sweep: string): string => join(sweepsFolder(results), sweep);
export const planFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'plan.json');
export const summaryFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'summary.json');
/** The newest round of a sweep that was started, where that is not the first. */
export const roundFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'round');
export const resultsLog = (results: string): string => join(results, 'results.jsonl');

/** The files of one run. */
export function runFiles(folder: string) {
  const artifacts = join(folder, 'artifacts');
  return {
    folder,
    artifacts,
    fixture: join(folder, 'fixture'),
    attempts: join(folder, 'attempts'),
    report: join(folder, 'report.md'),
    evaluation: join(folder, 'evaluation.md'),
    metrics: join(folder, 'metrics.json'),
    run: join(artifacts, 'run.json'),
    events: join(artifacts, 'events.jsonl'),
    rawTranscript: join(artifacts, 'transcript.raw.txt'),
    humanTranscript: join(artifacts, 'transcript.human.txt'),
    judge: join(artifacts, 'judge'),
    judgePrompt: join(artifacts, 'judge', 'prompt.md'),
  };
}

/** One answer of the judge, from 1. */
export const judgeAnswerFile = ({ judge }: RunFiles, number: number): string =>
  join(judge, `answer-${number}.json`);

/** Names in a run's folder that are ours; a person may have put others beside them. */
export const RUN_PARTS: ReadonlySet<string> = new Set(
  Object.values(runFiles('')).flatMap((path) => path.split(sep)[0] ?? []),
);
export const SWEEP_PARTS: ReadonlySet<string> = new Set(['plan.json', 'summary.json', 'round']);
export type RunFiles = ReturnType<typeof runFiles>;
