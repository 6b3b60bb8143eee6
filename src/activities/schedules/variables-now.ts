import { EnvFileProblem, workerEnvironment } from '#host';
import type { StoredSchedule } from '#scenario';
import type { Deps } from '../step/deps.js';

/**
 * Returns the variables of a schedule as they are now: those of its file, which may have changed, and of the worker. A
 * text says why a file cannot be read.
 */
export function variablesNow(
  { environment = () => process.env }: Pick<Deps, 'environment'>,
  { env_file: file }: Pick<StoredSchedule, 'env_file'>,
): NodeJS.Dict<string> | string {
  try {
    const base = environment();
    return file === null ? base : workerEnvironment({ envFile: file, base })();
  } catch (error) {
    if (!(error instanceof EnvFileProblem)) throw error;
    return `${file === null ? 'the worker' : `--env-file ${file}`}: ${error.message}`;
  }
}
