import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/json.js';
import { linesOf } from '../../platform/fs/lines.js';
import { TEMPORARY } from '../../platform/fs/write-file.js';
import type { LineFact, RunFact } from '../../results/plan-clean.js';
import { ROOM_FILE } from '../../platform/fs/disk-room.js';
import { resultsLog, runFiles } from '../../store/results-folder.js';
import { parseResult } from '../../store/results-log.js';
import { SCHEDULES } from '../../store/schedules/schedule-files.js';
import { foldersIn } from './gather-sweeps.js';
import { readText } from '../../platform/fs/read-file.js';

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
  /** Ids of the runs with a folder in the private state. */
  inState: Set<string>;
  /** Names in the results folder that this program did not create. */
  unknownPaths: string[];
}

const OURS = new Set(['results.jsonl', 'sweeps', SCHEDULES, '.store', '.clean', ROOM_FILE]);

/**
 * Finds runs by their folders. A folder in the results is a run's if a result refers to it, it contains the run's
 * record, or the private state has a folder of the same name.
 */
export function gatherRuns(results: string, workFolder: string, lines: readonly LineFact[]): RunFolders {
  const inState = new Set(foldersIn(workFolder));
  // if several lines refer to a folder, the line of its own run counts
  const byLine = new Map(
    [
      ...lines.map((line) => [line.folder, line] as const),
      ...lines.map((line) => [line.id, line] as const),
    ].map(([name, { sweep, startedAt }]) => [name, { sweep, startedAt }] as const),
  );
  const byRecord = new Map<string, RunFact>();
  const inResults = new Set<string>();
  const foreign: string[] = [];
  const folders = new Set(foldersIn(results));
  for (const name of existsSync(results) ? readdirSync(results) : []) {
    if (OURS.has(name)) continue;
    const record = !folders.has(name) || byLine.has(name) ? null : recordOf(results, name);
    if (record !== null) byRecord.set(name, record);
    if (folders.has(name) && (byLine.has(name) || record !== null || inState.has(name))) inResults.add(name);
    else if (!TEMPORARY.test(name)) foreign.push(name);
  }
  const facts = [...new Set([...inResults, ...inState])].map((id): RunFact => {
    const line = byLine.get(id);
    return line === undefined ? (byRecord.get(id) ?? factByName(id)) : { id, ...line };
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
  return data?.run_id === name
    ? { id: name, sweep: data.sweep, startedAt: Date.parse(data.started_at) }
    : null;
}

/** For a run that never wrote its report: only the name says when it was started. */
function factByName(id: string): RunFact {
  const [, date, time] = /^(\d{8})-(\d{6})-/.exec(id) ?? [];
  const iso = `${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  return { id, sweep: null, startedAt: Date.parse(iso) };
}
