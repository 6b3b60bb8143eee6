import { readFile } from 'node:fs/promises';
import { ApplicationFailure } from '@temporalio/common';
import { createRecent } from '../../lib/recent.js';
import { EffectiveScenario, Plan } from '../../scenario/plan.js';
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
const plans = createRecent<Plan>(8);
const scenarios = createRecent<EffectiveScenario>(32);

/** The plan of a sweep. */
export function readPlan(resultsPath: string, sweep: string): Promise<Plan> {
  checkName(sweep);
  const file = planFile(resultsPath, sweep);
  return plans(file, () => readStored(file, Plan));
}

/** A scenario of the store, as it is run. */
export function readScenario(resultsPath: string, hash: string): Promise<EffectiveScenario> {
  const file = scenarioFile(resultsPath, hash);
  return scenarios(file, () => readStored(file, EffectiveScenario));
}

/** Reads one of our own files. A broken one stays broken however often it is read. */
async function readStored<T>(file: string, schema: { parse(value: unknown): T }): Promise<T> {
  const text = await readFile(file, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      `${file} cannot be read: ${(error as Error).message}`,
      'StoreBroken',
    );
  }
}
