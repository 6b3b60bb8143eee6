import { readFileSync } from 'node:fs';
import { UsageError } from '../../lib/errors/usage-error.js';
import { parseEnvFile } from '../../lib/parse-env-file.js';

/** Reads the variables of `--env-file`. Empty if it was not given. @throws UsageError if the file cannot be read */
export function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  const refuse = (problem: string) => new UsageError('env_file', `--env-file ${file}${problem}`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse(`: ${(error as Error).message}`);
  }
  const read = parseEnvFile(text);
  if (!read.ok) throw refuse(`:${read.line}: ${read.problem}`);
  return read.values;
}
