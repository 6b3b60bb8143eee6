import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../../lib/json.js';
import { planFile, sweepsFolder } from '../../store/results-folder.js';

/** Returns the ids of sweeps that have a plan, newest first. Sorts by time, because users may choose the ids' names. */
export function newestSweeps(results: string): string[] {
  const folder = sweepsFolder(results);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((id) => existsSync(planFile(results, id)))
    .map((id) => ({ id, started: startOf(planFile(results, id)) }))
    .sort((a, b) => compare(b.started, a.started) || compare(b.id, a.id))
    .map(({ id }) => id);
}

/** Returns '' if unknown. Uses no schema: there may be thousands of plans, and whoever reads one reports its errors. */
function startOf(file: string): string {
  const plan = parseJson(readFileSync(file, 'utf8'));
  const created = isJsonObject(plan) ? plan['created_at'] : null;
  return typeof created === 'string' ? created : '';
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
