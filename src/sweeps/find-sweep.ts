import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { displayPath, readText } from '#host';
import { suggest, UsageError, compareTexts, isJsonObject, parseJson } from '#lib';
import { Plan } from '#scenario';
import {
  endsOf,
  fetchRun,
  planFile,
  readResultsFile,
  storedStatus,
  resultsIndex,
  runFiles,
  sharedProjectOf,
  sweepsFolder,
  summaryFile,
} from '#store';
import type { SweepSummary } from '#decide';

/** Returns the ids of sweeps that have a plan, newest first. Sorts by time, because users may choose the ids' names. */
export function newestSweeps(results: string): string[] {
  const folder = sweepsFolder(results);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((id) => existsSync(planFile(results, id)))
    .map((id) => ({ id, started: startOf(planFile(results, id)) }))
    .sort((a, b) => compareTexts(b.started, a.started) || compareTexts(b.id, a.id))
    .map(({ id }) => id);
}

/** The beginning of a plan, as this program writes it. */
const CREATED = /^\{\s*(?:"sweep":\s*"[^"\\]*",\s*)?"created_at":\s*"([^"\\]*)"/;

/** Returns '' if unknown. Uses no schema: there may be thousands of plans, and whoever reads one reports its errors. */
function startOf(file: string): string {
  const { head, tail } = endsOf(file);
  const [, written] = CREATED.exec(head) ?? [];
  if (written !== undefined && tail.trimEnd().endsWith('}')) return written;
  const plan = parseJson(readText(file));
  const created = isJsonObject(plan) ? plan['created_at'] : null;
  return typeof created === 'string' ? created : '';
}

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Returns the id itself if it is known, else the only known one that it is a prefix of. Null if there is none. */
function complete(id: string, known: readonly string[]): string | null {
  if (known.includes(id)) return id;
  const matching = known.filter((name) => name.startsWith(id));
  return id !== '' && matching.length === 1 ? (matching[0] ?? null) : null;
}

const sweepNames = (resultsPath: string): string[] => names(sweepsFolder(resultsPath));

/** Finds a sweep by its id, a unique prefix of it, or `latest` (the newest). Null if there is none. */
const sweepBy = (resultsPath: string, id: string): string | null =>
  (id === 'latest' ? newestSweeps(resultsPath)[0] : undefined) ?? complete(id, sweepNames(resultsPath));

/** Returns the plan of the sweep with this id (see `sweepBy`); null if there is none. */
export function findSweep(resultsPath: string, id: string): Plan | null {
  const sweep = sweepBy(resultsPath, id);
  return sweep === null ? null : readPlan(resultsPath, sweep);
}

const readPlan = (resultsPath: string, sweep: string): Plan => readResultsFile(planFile(resultsPath, sweep), Plan);

/** Returns the plan of the sweep with this id (see `sweepBy`). @throws UsageError if there is none */
export function findPlan(resultsPath: string, id: string): Plan {
  const sweep = sweepBy(resultsPath, id);
  if (sweep === null) throw unknownId(id, sweepNames(resultsPath), 'sweep', resultsPath);
  return readPlan(resultsPath, sweep);
}

export type SweepOrRun = { kind: 'sweep'; plan: Plan } | { kind: 'run'; folder: string };

/** Finds a sweep or a run by its id or a unique prefix of it. @throws UsageError if there is none */
export async function findById(resultsPath: string, id: string): Promise<SweepOrRun> {
  const sweep = sweepBy(resultsPath, id);
  if (sweep !== null) return { kind: 'sweep', plan: readPlan(resultsPath, sweep) };
  // Only the run that is named has to be looked at, not thousands of runs.
  const isRun = basename(id) === id && existsSync(runFiles(join(resultsPath, id)).run);
  if (isRun) return { kind: 'run', folder: join(resultsPath, id) };
  const project = await sharedProjectOf(resultsPath);
  const shared = project === null ? null : complete(id, runsIn(resultsPath));
  if (project !== null && shared !== null) await fetchRun(project, shared);
  const runs = names(resultsPath).filter((name) => existsSync(runFiles(join(resultsPath, name)).run));
  const run = complete(id, runs);
  if (run === null) throw unknownId(id, [...sweepNames(resultsPath), ...runs], 'sweep or run', resultsPath);
  return { kind: 'run', folder: join(resultsPath, run) };
}

/** The ids of all runs that have a folder, which may be on other machines. */
const runsIn = (resultsPath: string): string[] =>
  resultsIndex(resultsPath)
    .digests()
    .results.flatMap(({ results_dir }) => results_dir ?? []);

function unknownId(id: string, known: readonly string[], kind: string, resultsPath: string): UsageError {
  const near = suggest(id, known) ?? known.findLast((name) => name.startsWith(id)) ?? null;
  const hint = near === null ? '' : `; did you mean '${near}'?`;
  return new UsageError('unknown_id', `no ${kind} '${id}' in ${displayPath(resultsPath)}${hint}`);
}

/** True if a sweep has ended, that is, if its summary exists, which is written last. */
export const hasEnded = (resultsPath: string, plan: Plan): boolean => existsSync(summaryFile(resultsPath, plan.sweep));

/** Returns how a sweep ended, or 'open' if it has not. @throws UsageError if its summary cannot be read */
export function sweepStatus(resultsPath: string, sweep: string): SweepSummary['status'] {
  const summary = summaryFile(resultsPath, sweep);
  if (!existsSync(summary)) return 'open';
  return storedStatus(resultsPath, sweep) === 'cancelled' ? 'cancelled' : 'completed';
}
