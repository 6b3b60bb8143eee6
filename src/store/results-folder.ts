import { join } from 'node:path';
import { sha256 } from '#lib';

/** Paths in a results folder. Its layout is a contract (specs/reference/results.md). */
export const storeFolder = (results: string): string => join(results, '.store');
export const scenarioFile = (results: string, hash: string): string =>
  join(storeFolder(results), hash, 'scenario.json');
export const fixtureFolder = (results: string, hash: string): string => join(storeFolder(results), hash);
export const checksFolder = (results: string, hash: string): string => join(storeFolder(results), hash);
export const sweepsFolder = (results: string): string => join(results, 'sweeps');
/** Folder of `clean`: its lock, and what it is about to delete. */
export const cleanFolder = (results: string): string => join(results, '.clean');
const sweepFolder = (results: string, sweep: string): string => join(sweepsFolder(results), sweep);
export const planFile = (results: string, sweep: string): string => join(sweepFolder(results, sweep), 'plan.json');
export const summaryFile = (results: string, sweep: string): string =>
  join(sweepFolder(results, sweep), 'summary.json');
/** File with the newest round of a sweep that was started; absent in round 1. */
export const roundFile = (results: string, sweep: string): string => join(sweepFolder(results, sweep), 'round');
/** Empty file of a sweep that was paused and has not been resumed. */
export const pausedFile = (results: string, sweep: string): string => join(sweepFolder(results, sweep), 'paused');
export const resultsLog = (results: string): string => join(results, 'results.jsonl');

/** Paths of a run's files. Not made with `join`, which would take most of the time of reading thousands of runs. */
export function runFiles(folder: string) {
  const artifacts = `${folder}/artifacts`;
  return {
    folder,
    artifacts,
    fixture: `${folder}/fixture`,
    /** A symlink to the workspace, while the run is not over. */
    workspace: `${folder}/workspace`,
    attempts: `${folder}/attempts`,
    report: `${folder}/report.md`,
    evaluation: `${folder}/evaluation.md`,
    metrics: `${folder}/metrics.json`,
    run: `${artifacts}/run.json`,
    executions: `${artifacts}/executions.json`,
    events: `${artifacts}/events.jsonl`,
    /** The agent's events so far, while the run is not over. */
    liveEvents: `${artifacts}/events.live.jsonl`,
    rawTranscript: `${artifacts}/transcript.raw.txt`,
    humanTranscript: `${artifacts}/transcript.human.txt`,
    judge: `${artifacts}/judge`,
    asked: `${artifacts}/asked`,
  };
}

/** Name of the folder of a caller: `gate-3`. */
export const callerFolder = (caller: string): string => caller.replaceAll(' ', '-');

/**
 * Folder with a question to a model, and its answers. `caller`: the part of the run that asks, `judge` or another one
 * like `gate 3`.
 */
export const answersFolder = ({ judge, asked }: RunFiles, caller: string): string =>
  caller === 'judge' ? judge : join(asked, callerFolder(caller));

/** File of an answer, numbered from 1. */
export const answerFile = (files: RunFiles, caller: string, number: number): string =>
  join(answersFolder(files, caller), `answer-${number}.json`);

/** Names in a run's folder that belong to us; people may have put other files there. */
export const RUN_PARTS: ReadonlySet<string> = new Set(
  Object.values(runFiles('run')).flatMap((path) => path.split('/').slice(1, 2)),
);
export const SWEEP_PARTS: ReadonlySet<string> = new Set(['plan.json', 'summary.json', 'round', 'paused']);
export type RunFiles = ReturnType<typeof runFiles>;

/**
 * The name by which a run's agent knows it: in paths, and in the environment. It is the same for every attempt and on
 * every host, and tells the agent nothing of its scenario, variant, agent and model, as the run's id would.
 */
export const opaqueId = (run: string): string => sha256(run).slice(0, 16);

/** Folder with the private folders of all runs. */
export const workFolder = (stateFolder: string): string => join(stateFolder, 'work');

/** Folder on the host in which a run records what it has done: manifests, fences, attempts, starts of the agent. */
export const stateOfRun = (stateFolder: string, run: string): string => join(workFolder(stateFolder), opaqueId(run));
