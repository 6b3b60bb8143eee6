import { existsSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createFolderOnce, isRealFolder, linesOf, storeOnce } from '#host';
import type { ResultLine } from '#model';
import { resultsLog, storeFolder, sweepsFolder } from './results-folder.js';
import { appendLines, type CorruptLine, parseResult } from './results-log.js';

/** The contents of another results folder that were copied. */
export interface Merged {
  sweeps: number;
  runs: number;
  /** Lines of its log that are not copied, because they are not results. */
  corrupt: CorruptLine[];
}

/**
 * Copies what another results folder has and this one lacks. Each folder appears complete, and lines of the log follow
 * the files of their runs, so a merge that was interrupted can be repeated. Schedules are left where they are.
 */
export async function mergeResults(into: string, from: string): Promise<Merged> {
  await copyFolders(storeFolder(from), storeFolder(into), storeOnce);
  const own = new Set(textsOf(resultsLog(into)).map(({ text }) => text));
  const corrupt: CorruptLine[] = [];
  const lacking: { text: string; result: ResultLine }[] = [];
  for (const { text, line } of textsOf(resultsLog(from))) {
    if (own.has(text)) continue;
    const result = parseResult(text);
    if (typeof result === 'string') corrupt.push({ line, reason: result });
    else if (result.results_dir !== null && basename(result.results_dir) !== result.results_dir)
      corrupt.push({ line, reason: `results_dir is '${result.results_dir}', not a folder of these results` });
    else lacking.push({ text, result });
  }
  const runs = new Set(lacking.flatMap(({ result: { results_dir: run } }) => run ?? []));
  for (const run of runs) if (isRealFolder(join(from, run))) await copyFolder(join(from, run), join(into, run));
  const sweeps = await copyFolders(sweepsFolder(from), sweepsFolder(into), createFolderOnce);
  if (lacking.length > 0) await appendLines(resultsLog(into), () => lacking.map(({ text }) => text));
  return { sweeps, runs: runs.size, corrupt };
}

type CreateFolder = typeof createFolderOnce;

const copyFolder = (from: string, to: string, create: CreateFolder = createFolderOnce): Promise<void> =>
  create(to, (temporary) => cp(from, temporary, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }));

/** Copies the folders in a folder that another one lacks. Returns how many. */
async function copyFolders(from: string, to: string, create: CreateFolder): Promise<number> {
  const names = isRealFolder(from) ? readdirSync(from) : [];
  const lacking = names.filter((name) => isRealFolder(join(from, name)) && !isRealFolder(join(to, name)));
  for (const name of lacking) await copyFolder(join(from, name), join(to, name), create);
  return lacking.length;
}

/** The lines of a log that are not empty, numbered from 1. A log that does not exist has none. */
const textsOf = (log: string): { text: string; line: number }[] =>
  [...(existsSync(log) ? linesOf(log, Infinity) : [])]
    .map(({ text }, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '');
