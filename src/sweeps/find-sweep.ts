import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { displayPath } from '#host';
import { suggest, UsageError } from '#lib';
import { Plan } from '#scenario';
import {
  fetchRun,
  planFile,
  readResultsFile,
  resultsIndex,
  runFiles,
  sharedProjectOf,
  sweepsFolder,
} from '#store';
import { newestSweeps } from './newest-sweeps.js';

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

const readPlan = (resultsPath: string, sweep: string): Plan =>
  readResultsFile(planFile(resultsPath, sweep), Plan);

/** Returns the plan of the sweep with this id (see `sweepBy`). @throws UsageError if there is none */
export function findPlan(resultsPath: string, id: string): Plan {
  const sweep = sweepBy(resultsPath, id);
  if (sweep === null) throw unknownId(id, sweepNames(resultsPath), 'sweep', resultsPath);
  return readPlan(resultsPath, sweep);
}

export type Found = { kind: 'sweep'; plan: Plan } | { kind: 'run'; folder: string };

/** Finds a sweep or a run by its id or a unique prefix of it. @throws UsageError if there is none */
export async function findById(resultsPath: string, id: string): Promise<Found> {
  const sweep = sweepBy(resultsPath, id);
  if (sweep !== null) return { kind: 'sweep', plan: readPlan(resultsPath, sweep) };
  // Of thousands of runs, only the one that is named has to be looked at.
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
