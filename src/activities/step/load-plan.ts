import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { sha256 } from '../../lib/hash.js';
import { createLruCache } from '../../lib/lru-cache.js';
import { Plan, type EffectiveScenario } from '../../scenario/plan.js';
import { StoredScenario } from '../../scenario/stored-scenario.js';
import { planFile, scenarioFile } from '../../store/results-folder.js';

/**
 * Whoever can reach the Temporal server can start our workflows: a name must not lead to a plan, and so to commands,
 * outside the results folder, nor to folders outside the state that would be emptied.
 */
export function checkName(name: string): void {
  if (name !== '' && !/[/\0]|^\.\.?$/.test(name)) return;
  throw ApplicationFailure.nonRetryable(`${JSON.stringify(name)} is no id of a sweep or run`, 'BadName');
}

/** Every step of every run of a sweep needs these, and they never change: the last few are kept. */
const plans = createLruCache<StoredPlan>(8);
const scenarios = createLruCache<StoredScenario>(32);

/** A plan, and the SHA-256 of the text that it was read from. */
interface StoredPlan {
  plan: Plan;
  planHash: string;
}

/** The plan of a sweep. */
export function readPlan(resultsPath: string, sweep: string): Promise<StoredPlan> {
  checkName(sweep);
  const file = planFile(resultsPath, sweep);
  return plans(file, async () => {
    const text = await readStored(file);
    return { plan: parseStored(file, text, Plan), planHash: sha256(text) };
  });
}

/** A scenario, and whether it is the one that was planned: with these gates, and this judge. */
interface StoredScenario {
  effective: EffectiveScenario;
  unchanged: boolean;
}

/** A scenario of the store, as it is run. */
export function readScenario(resultsPath: string, hash: string): Promise<StoredScenario> {
  const file = scenarioFile(resultsPath, hash);
  return scenarios(file, async () => {
    const text = await readStored(file);
    return { effective: parseStored(file, text, StoredScenario), unchanged: sha256(text) === hash };
  });
}

/** Reads one of our own files. Where the whole store is gone, it may come back: a disk that is not mounted. */
const readStored = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(dirname(dirname(file))))
      throw error;
    throw ApplicationFailure.nonRetryable(
      `${file} is missing: restore it from a backup, or run the scenarios again`,
      'StoreBroken',
    );
  });

/** Parses one of our own files. A broken one stays broken however often it is read. */
function parseStored<T>(file: string, text: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      `${file} cannot be read: ${(error as Error).message}`,
      'StoreBroken',
    );
  }
}
