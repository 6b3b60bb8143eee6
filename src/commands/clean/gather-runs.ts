import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/json.js';
import { linesOf } from '../../platform/fs/lines.js';
import { TEMPORARY } from '../../platform/fs/write-file.js';
import type { LineFact, RunFact } from '../../results/plan-clean.js';
import { resultsLog, runFiles } from '../../store/results-folder.js';
import { parseResult } from '../../store/results-log.js';
import { foldersIn } from './gather-sweeps.js';

/** What the line of a result says, null for a line that is none. */
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

/** The results in results.jsonl; lines that are none are left out, and stay. */
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
  /** Ids of the runs with a folder in the results, and in the private state. */
  inResults: Set<string>;
  inState: Set<string>;
  /** Names in the results folder that are nothing of ours. */
  strangers: string[];
}

const OURS = new Set(['results.jsonl', 'sweeps', '.store', '.clean']);

/** Runs by their folders. One in the results is a run's when a result, its own record or its private folder says so. */
export function gatherRuns(results: string, workFolder: string, lines: readonly LineFact[]): RunFolders {
  const inState = new Set(foldersIn(workFolder));
  // Of a folder that several lines point to, that of its own run tells.
  const told = new Map(
    [
      ...lines.map((line) => [line.folder, line] as const),
      ...lines.map((line) => [line.id, line] as const),
    ].map(([name, { sweep, startedAt }]) => [name, { sweep, startedAt }] as const),
  );
  const own = new Map<string, RunFact>();
  const inResults = new Set<string>();
  const strange: string[] = [];
  const folders = new Set(foldersIn(results));
  for (const name of existsSync(results) ? readdirSync(results) : []) {
    if (OURS.has(name)) continue;
    const record = !folders.has(name) || told.has(name) ? null : recordOf(results, name);
    if (record !== null) own.set(name, record);
    if (folders.has(name) && (told.has(name) || record !== null || inState.has(name))) inResults.add(name);
    else if (!TEMPORARY.test(name)) strange.push(name);
  }
  const facts = [...new Set([...inResults, ...inState])].map((id): RunFact => {
    const line = told.get(id);
    return line === undefined ? (own.get(id) ?? nameless(id)) : { id, ...line };
  });
  return { facts, inResults, inState, strangers: strange };
}

const Record = z.object({ run_id: z.string(), sweep: z.string(), started_at: z.string() });

/** A run whose line is missing: one that was interrupted, or that `clean` was. */
function recordOf(results: string, name: string): RunFact | null {
  const { run, artifacts } = runFiles(join(results, name));
  const isReal = lstatSync(artifacts, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isReal || lstatSync(run, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const { data } = Record.safeParse(parseJson(readFileSync(run, 'utf8')));
  return data?.run_id === name
    ? { id: name, sweep: data.sweep, startedAt: Date.parse(data.started_at) }
    : null;
}

/** Of a run that never came to its report only the name tells when it was started. */
function nameless(id: string): RunFact {
  const [, date, time] = /^(\d{8})-(\d{6})-/.exec(id) ?? [];
  const iso = `${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  return { id, sweep: null, startedAt: Date.parse(iso) };
}
