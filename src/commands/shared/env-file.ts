import { loadEnvFile } from '#host';
import { UsageError } from '#lib';

/** Reads the variables of `--env-file`. Empty if it was not given. @throws UsageError if the file cannot be read */
export function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  const read = loadEnvFile(file);
  if (read.ok) return read.values;
  const place = read.line === null ? file : `${file}:${read.line}`;
  throw new UsageError('env_file', `--env-file ${place}: ${read.problem}`);
}
