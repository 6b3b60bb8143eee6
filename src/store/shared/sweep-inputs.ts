import { existsSync } from 'node:fs';
import { isRealFolder, readBytes, readText, remembered, writeFileAtomic } from '#host';
import { inParallel, isJsonObject, type Json, parseJson } from '#lib';
import { fixtureFolder, planFile, scenarioFile } from '../results-folder.js';
import { planObject, storedObject } from './names.js';
import type { SharedProject } from './shared-project.js';

const AT_ONCE = 8;

/** Publishes what the runs of a planned sweep need: its plan, and what this refers to in `.store`. Can be repeated. */
export async function publishSweep(project: SharedProject, sweep: string): Promise<void> {
  const plan = readText(planFile(project.resultsPath, sweep));
  await publishInputs(project, plan);
  // Last: when the plan is there, everything is.
  await project.store.putOnce(planObject(sweep), plan);
}

/** Publishes what a plan, given as JSON, refers to in `.store`. Can be repeated. */
export async function publishInputs({ store, resultsPath }: SharedProject, plan: string): Promise<void> {
  const scenarios = scenariosOf(plan);
  const inputs = scenarios.flatMap((hash) => inputsOf(resultsPath, hash));
  await inParallel(AT_ONCE, [...new Set([...scenarios, ...inputs])], (hash) =>
    store.putFolder(storedObject(hash), fixtureFolder(resultsPath, hash)),
  );
}

const here = remembered(() => new Set<string>());
/** Fetches that have not ended, so that each is done once at a time. */
const fetching = remembered(() => new Map<string, Promise<void>>());

/** Brings a published sweep's plan, and what it refers to, into the mirror. Does nothing for an unknown sweep. */
export async function fetchSweep(project: SharedProject, sweep: string): Promise<void> {
  const key = `${project.stateFolder} ${sweep}`;
  if (here().has(key)) return;
  const fetch = fetching().get(key) ?? fetchOnce(project, sweep, key).finally(() => fetching().delete(key));
  fetching().set(key, fetch);
  await fetch;
}

async function fetchOnce({ store, resultsPath }: SharedProject, sweep: string, key: string): Promise<void> {
  const file = planFile(resultsPath, sweep);
  const plan = existsSync(file) ? readBytes(file) : await store.get(planObject(sweep));
  if (plan === null) return;
  const fetch = async (hash: string): Promise<void> => {
    const folder = fixtureFolder(resultsPath, hash);
    if (!isRealFolder(folder)) await store.getFolder(storedObject(hash), folder);
  };
  const scenarios = scenariosOf(plan.toString());
  await inParallel(AT_ONCE, scenarios, fetch);
  const inputs = scenarios.flatMap((hash) => inputsOf(resultsPath, hash));
  await inParallel(AT_ONCE, [...new Set(inputs)], fetch);
  if (!existsSync(file)) await writeFileAtomic(file, plan);
  here().add(key);
}

/** The hashes of a plan's scenarios. Whoever reads the plan reports its errors. */
function scenariosOf(plan: string): string[] {
  const json = parseJson(plan);
  const scenarios = isJsonObject(json) ? json['scenarios'] : undefined;
  return Array.isArray(scenarios) ? [...new Set(scenarios.flatMap((one) => hashIn(one, 'hash')))] : [];
}

/** The hashes of all that a stored scenario needs: fixture, checks, image and target, as far as they are stored. */
function inputsOf(resultsPath: string, hash: string): string[] {
  const file = scenarioFile(resultsPath, hash);
  const json = existsSync(file) ? parseJson(readText(file)) : undefined;
  return ['fixture', 'checks', 'build', 'target_stored'].flatMap((field) => hashIn(json, field));
}

function hashIn(json: Json | undefined, field: string): string[] {
  const value = isJsonObject(json) ? json[field] : undefined;
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? [value] : [];
}
