import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../lib/nearest.js';
import { Plan } from '../scenario/plan.js';
import { planFile, runFiles } from '../store/results-folder.js';
import { newestSweeps } from './newest-sweeps.js';
import { displayPath } from './project.js';
import { readOwn } from './read-own.js';
import { UsageError } from './usage-error.js';

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** An id as it is written in full, or the one that begins so. */
function complete(id: string, known: readonly string[]): string | null {
  if (known.includes(id)) return id;
  const matching = known.filter((name) => name.startsWith(id));
  return id !== '' && matching.length === 1 ? (matching[0] ?? null) : null;
}

/** Plan of a sweep by its id or a unique beginning of it. @throws UsageError */
export function findPlan(resultsPath: string, id: string): Plan {
  const known = names(join(resultsPath, 'sweeps'));
  const sweep = complete(id, known);
  if (sweep === null) throw unknownId(id, known, 'sweep', resultsPath);
  return readOwn(planFile(resultsPath, sweep), Plan);
}

/** What an id stands for; `latest` for the newest sweep. @throws UsageError when it is neither a sweep nor a run. */
export function findById(
  resultsPath: string,
  id: string,
): { kind: 'sweep'; plan: Plan } | { kind: 'run'; folder: string } {
  const sweeps = names(join(resultsPath, 'sweeps'));
  const newest = id === 'latest' ? newestSweeps(resultsPath)[0] : undefined;
  if (newest !== undefined) return { kind: 'sweep', plan: findPlan(resultsPath, newest) };
  if (complete(id, sweeps) !== null) return { kind: 'sweep', plan: findPlan(resultsPath, id) };
  const runs = names(resultsPath).filter((name) => existsSync(runFiles(join(resultsPath, name)).run));
  const run = complete(id, runs);
  if (run === null) throw unknownId(id, [...sweeps, ...runs], 'sweep or run', resultsPath);
  return { kind: 'run', folder: join(resultsPath, run) };
}

function unknownId(id: string, known: readonly string[], kind: string, resultsPath: string): UsageError {
  const near = nearest(id, known) ?? known.findLast((name) => name.startsWith(id)) ?? null;
  const hint = near === null ? '' : `; did you mean '${near}'?`;
  return new UsageError('unknown_id', `no ${kind} '${id}' in ${displayPath(resultsPath)}${hint}`);
}
