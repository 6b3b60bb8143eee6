import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from '../../lib/usage-error.js';

/** The variables of `--env-file`; none where no file is named. @throws UsageError */
export function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError('env_file', `--env-file ${file}: ${(error as Error).message}`);
  }
}
