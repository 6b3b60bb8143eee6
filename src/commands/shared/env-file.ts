import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from '../../lib/errors/usage-error.js';

/** Reads the variables of `--env-file`. Empty if it was not given. @throws UsageError if the file cannot be read */
export function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError('env_file', `--env-file ${file}: ${(error as Error).message}`);
  }
}
