import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { LineFact, RunFact } from '#decide';
import { linesOf, readText, PROBE_FILE, TEMPORARY } from '#host';
import { parseJson } from '#lib';
import { opaqueId, parseResult, resultsLog, runFiles, SCHEDULES } from '#store';

/** Returns the names in a folder; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the names of the folders in a folder, without symlinks; none if it cannot be read. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []));
  } catch {
    return [];
  }
}

/** Reads the line of a result. Returns null if the line is invalid. */
export function lineFact(line: number, text: string): LineFact | null {
  const result = parseResult(text);
  if (typeof result === 'string') return null;
  return {
    line,
    id: result.id,
    sweep: result.sweep,
    cell: result.cell,
    startedAt: Date.parse(result.timestamp),
    folder: result.results_dir,
    cachedFrom: result.cached_from,
  };
}

/** Reads the results in results.jsonl. Skips invalid lines, which `clean` keeps. */
export function gatherLines(results: string): LineFact[] {
  const log = resultsLog(results);
  if (!existsSync(log)) return [];
  const facts: LineFact[] = [];
  let number = 0;
  for (const { text } of linesOf(log, Infinity)) {
    const fact = lineFact(++number, text);
    if (fact !== null) facts.push(fact);
  }
  return facts;
}

export interface RunFolders {
  facts: RunFact[];
  /** Ids of the runs with a folder in the results folder. */
  inResults: Set<string>;
  /** Names of folders in the private state, by the id of their run. */
  inState: Map<string, string>;
  /** Names in the results folder that this program did not create. */
  unknownPaths: string[];
}

const OURS = new Set(['results.jsonl', 'sweeps', SCHEDULES, '.store', '.clean', PROBE_FILE]);

/**
 * Finds runs by their folders. A folder in the results is a run's if a result refers to it, it contains the run's
 * record, or the private state has a folder of that run. Nothing else names the run of a folder in the private state.
 */
export function gatherRuns(results: string, workFolder: string, lines: readonly LineFact[]): RunFolders {
  // If several lines refer to a folder, the line of its own run counts.
  const byLine = new Map(
    [...lines.map((line) => [line.folder, line] as const), ...lines.map((line) => [line.id, line] as const)].map(
      ([name, { sweep, startedAt }]) => [name, { sweep, startedAt }] as const,
    ),
  );
  const byRecord = new Map<string, RunFact>();
  const inResults = new Set<string>();
  const foreign: string[] = [];
  const folders = new Set(foldersIn(results));
  const owners = new Map([...folders, ...lines.map(({ id }) => id)].map((id) => [opaqueId(id), id]));
  const inState = new Map(foldersIn(workFolder).map((name) => [owners.get(name) ?? name, name]));
  for (const name of existsSync(results) ? readdirSync(results) : []) {
    if (OURS.has(name)) continue;
    const record = !folders.has(name) || byLine.has(name) ? null : recordOf(results, name);
    if (record !== null) byRecord.set(name, record);
    if (folders.has(name) && (byLine.has(name) || record !== null || inState.has(name))) inResults.add(name);
    else if (!TEMPORARY.test(name)) foreign.push(name);
  }
  const facts = [...new Set([...inResults, ...inState.keys()])].map((id): RunFact => {
    const line = byLine.get(id);
    if (line !== undefined) return { id, ...line };
    return byRecord.get(id) ?? (inState.get(id) === id ? factByTime(id, workFolder) : factByName(id));
  });
  return { facts, inResults, inState, unknownPaths: foreign };
}

const Record = z.object({ run_id: z.string(), sweep: z.string(), started_at: z.string() });

/**
 * Reads the record of a run that has no line, because it or a `clean` was interrupted. Null if there is no valid one.
 */
function recordOf(results: string, name: string): RunFact | null {
  const { run, artifacts } = runFiles(join(results, name));
  const isReal = lstatSync(artifacts, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isReal || lstatSync(run, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const { data } = Record.safeParse(parseJson(readText(run)));
  return data?.run_id === name ? { id: name, sweep: data.sweep, startedAt: Date.parse(data.started_at) } : null;
}

/** For a run of which only the private folder is left, whose name says nothing. */
const factByTime = (id: string, workFolder: string): RunFact => ({
  id,
  sweep: null,
  startedAt: lstatSync(join(workFolder, id), { throwIfNoEntry: false })?.mtimeMs ?? Date.now(),
});

/** For a run that never wrote its report: only the name says when it was started. */
function factByName(id: string): RunFact {
  const [, date, time] = /^(\d{8})-(\d{6})-/.exec(id) ?? [];
  const iso = `${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  return { id, sweep: null, startedAt: Date.parse(iso) };
}
