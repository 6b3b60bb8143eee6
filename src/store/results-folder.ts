import { join } from 'node:path';

/** Paths in a results folder; its layout is a contract (specs/results.md). */
export const storeFolder = (results: string): string => join(results, '.store');
export const scenarioFile = (results: string, hash: string): string =>
  join(storeFolder(results), hash, 'scenario.json');
export const fixtureFolder = (results: string, hash: string): string => join(storeFolder(results), hash);
const sweepFolder = (results: string, sweep: string): string => join(results, 'sweeps', sweep);
export const planFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'plan.json');
export const summaryFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'summary.json');
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
    judgeAnswer: (number: number) => join(artifacts, 'judge', `answer-${number}.json`),
  };
}
export type RunFiles = ReturnType<typeof runFiles>;
