import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { systemFailure } from '../../lib/errors/system-failure.js';
import type { StoredSchedule } from '../../scenario/stored-schedule.js';

/**
 * Returns the variables of a schedule as they are now: those of its file, which may have changed, and of the worker. A
 * text says why the file cannot be read.
 */
export function variablesNow({ env_file: file }: StoredSchedule): NodeJS.Dict<string> | string {
  if (file === null) return process.env;
  try {
    return { ...process.env, ...parseEnv(readFileSync(file, 'utf8')) };
  } catch (error) {
    return `--env-file ${file}: ${systemFailure(error) ?? 'cannot be read'}`;
  }
}
