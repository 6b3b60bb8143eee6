import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { readText, remembered } from '#host';
import { createLruCache, parseFailure, sha256 } from '#lib';
import { EffectiveScenario, Plan } from '#scenario';
import { fetchSweep, planFile, scenarioFile, sharedProjectOf } from '#store';

/**
 * Anyone who can reach the Temporal server can start our workflows. A name must not lead to a plan, and so to commands,
 * outside the results folder, nor to folders outside the state folder, which would be emptied.
 * @throws ApplicationFailure (non-retryable) if the name is not a plain file name
 */
export function checkName(name: string): void {
  if (name !== '' && !/[/\0]|^\.\.?$/.test(name)) return;
  throw ApplicationFailure.nonRetryable(`${JSON.stringify(name)} is not a valid sweep or run id`, 'BadName');
}

/** Every step of every run of a sweep needs these, and they never change: the last few are cached. */
const plans = remembered(() => createLruCache<StoredPlan>(8));
const scenarios = remembered(() => createLruCache<StoredScenario>(32));

/** A plan, and the SHA-256 of the text it was read from. */
interface StoredPlan {
  plan: Plan;
  planHash: string;
}

/** Reads the plan of a sweep. @throws ApplicationFailure (non-retryable) if it is missing or damaged */
export function readPlan(resultsPath: string, sweep: string): Promise<StoredPlan> {
  checkName(sweep);
  const file = planFile(resultsPath, sweep);
  return plans()(file, async () => {
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await fetchSweep(project, sweep);
    const text = await readStored(file);
    return { plan: parseStored(file, text, Plan), planHash: sha256(text) };
  });
}

/** A scenario, and whether it is unchanged since it was planned, with the same gates and judge. */
interface StoredScenario {
  effective: EffectiveScenario;
  unchanged: boolean;
}

/** Reads a scenario of the store. @throws ApplicationFailure (non-retryable) if it is missing or damaged */
export function readScenario(resultsPath: string, hash: string): Promise<StoredScenario> {
  const file = scenarioFile(resultsPath, hash);
  return scenarios()(file, async () => {
    const text = await readStored(file);
    return { effective: parseStored(file, text, EffectiveScenario), unchanged: sha256(text) === hash };
  });
}

/**
 * Reads one of our own files. If the whole store is missing, the error is retryable: the disk may not be mounted yet.
 */
const readStored = (file: string): Promise<string> =>
  Promise.resolve(file)
    .then(readText)
    .catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(dirname(dirname(file)))) throw error;
      throw ApplicationFailure.nonRetryable(
        `${file} is missing: restore it from a backup, or run the scenarios again`,
        'StoreBroken',
      );
    });

/** Parses one of our own files. A damaged file stays damaged, so the error is not retryable. */
function parseStored<T>(file: string, text: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw ApplicationFailure.nonRetryable(`${file} cannot be read: ${parseFailure(error)}`, 'StoreBroken');
  }
}
