import { existsSync, readdirSync } from 'node:fs';
import { readText } from '#host';
import { compareTexts, isJsonObject, parseJson } from '#lib';
import { planFile, sweepsFolder } from '#store';

/** Returns the ids of sweeps that have a plan, newest first. Sorts by time, because users may choose the ids' names. */
export function newestSweeps(results: string): string[] {
  const folder = sweepsFolder(results);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((id) => existsSync(planFile(results, id)))
    .map((id) => ({ id, started: startOf(planFile(results, id)) }))
    .sort((a, b) => compareTexts(b.started, a.started) || compareTexts(b.id, a.id))
    .map(({ id }) => id);
}

/** Returns '' if unknown. Uses no schema: there may be thousands of plans, and whoever reads one reports its errors. */
function startOf(file: string): string {
  const plan = parseJson(readText(file));
  const created = isJsonObject(plan) ? plan['created_at'] : null;
  return typeof created === 'string' ? created : '';
}
