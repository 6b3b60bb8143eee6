import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { existsSync } from 'node:fs';
import { readTextIfThere, writeFileAtomic, linesOf } from '#host';
import { isJsonObject, parseJson, type Json } from '#lib';
import { roundFile, summaryFile, resultsLog, pausedFile } from './results-folder.js';
import { beginSharedRound, newestOf, roundsOf, noteSharedPause } from './shared/rounds.js';
import { sharedProjectOf, type SharedProject } from './shared/shared-project.js';
import { endedObject, resultsObject, summaryObject } from './shared/names.js';

/** Returns a sweep's summary with the folders of its runs relative to the results folder. */
const withRelativeFolders = (summary: string, resultsPath: string): string =>
  withFolders(summary, (folder) => (isAbsolute(folder) ? relative(resultsPath, folder) : folder));

/** The reverse, for the results folder of this machine. */
export const withFoldersOf = (summary: string, resultsPath: string): string =>
  withFolders(summary, (folder) => join(resultsPath, folder));

function withFolders(summary: string, change: (folder: string) => string): string {
  const document = parseJson(summary);
  const cells = isJsonObject(document) ? document['cells'] : undefined;
  if (!isJsonObject(document) || !Array.isArray(cells)) return summary;
  const changed = cells.map((cell: Json) => {
    const folder = isJsonObject(cell) ? cell['results_dir'] : null;
    return isJsonObject(cell) && typeof folder === 'string' ? { ...cell, results_dir: change(folder) } : cell;
  });
  return `${JSON.stringify({ ...document, cells: changed }, null, 2)}\n`;
}

/** Ends a round of a sweep whose results are all in the mirror. If it has ended already, that stays as it is. */
export async function endSharedRound(
  project: SharedProject,
  sweep: string,
  round: number,
  summary: string,
): Promise<void> {
  const { store, resultsPath } = project;
  const shared = withRelativeFolders(summary, resultsPath);
  await store.putOnce(resultsObject(sweep, round), linesOfSweep(resultsLog(resultsPath), sweep).join(''));
  await store.put(summaryObject(sweep), shared);
  await store.putOnce(endedObject(sweep, round), shared);
  await writeFileAtomic(summaryFile(resultsPath, sweep), summary);
}

function linesOfSweep(log: string, sweep: string): string[] {
  const found: string[] = [];
  if (!existsSync(log)) return found;
  for (const { text } of linesOf(log, Infinity)) {
    const line = parseJson(text);
    if (isJsonObject(line) && line['sweep'] === sweep) found.push(`${text}\n`);
  }
  return found;
}

/** Returns the newest round of a sweep that was started; 1 by default. */
export async function newestRound(results: string, sweep: string): Promise<number> {
  const project = await sharedProjectOf(results);
  if (project !== null) return Math.max(1, newestOf((await roundsOf(project, sweep)).begun));
  const round = Number((await readTextIfThere(roundFile(results, sweep))) ?? 1);
  return Number.isInteger(round) && round > 0 ? round : 1;
}

/**
 * Records that a round of a sweep has begun. From then on, what is left of earlier rounds must not write for the sweep.
 */
export async function beginRound(results: string, sweep: string, round: number): Promise<void> {
  const project = await sharedProjectOf(results);
  if (project !== null) return beginSharedRound(project, sweep, round);
  if ((await newestRound(results, sweep)) >= round) return;
  const file = roundFile(results, sweep);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, `${round}\n`);
}

/** Records that a round has ended, and with it the sweep, until another round begins. `summary`: its text. */
export async function endRound(results: string, sweep: string, round: number, summary: string): Promise<void> {
  const project = await sharedProjectOf(results);
  if (project !== null) return endSharedRound(project, sweep, round, summary);
  await writeFileAtomic(summaryFile(results, sweep), summary);
}

/** True if a sweep that has not ended is paused. */
export const isPaused = (results: string, sweep: string): boolean => existsSync(pausedFile(results, sweep));

/**
 * Records whether a sweep is paused, for commands that only read the files. Never throws: a full disk must not keep a
 * sweep from being paused or resumed.
 */
export async function notePaused(results: string, sweep: string, paused: boolean): Promise<void> {
  const file = pausedFile(results, sweep);
  await (paused ? writeFile(file, '') : rm(file, { force: true })).catch(() => undefined);
  const project = await sharedProjectOf(results).catch(() => null);
  if (project !== null) await noteSharedPause(project, sweep, paused).catch(() => undefined);
}
