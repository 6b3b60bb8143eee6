import { readFileSync } from 'node:fs';
import { type EnvFile, parseEnvFile } from '#lib';

/** Returns the environment of a worker as it is now. @throws EnvFileProblem */
export type ReadEnvironment = () => NodeJS.Dict<string>;

/** The env file of a worker is missing or damaged. The message quotes no values. */
export class EnvFileProblem extends Error {}

/**
 * Returns a function that reads the process's environment, overlaid by `envFile` if it is given. The file is read at
 * each call: it is small, and keys in it can be replaced while the worker runs.
 */
export function workerEnvironment({
  envFile,
  base = process.env,
}: {
  envFile?: string | undefined;
  base?: NodeJS.ProcessEnv;
}): ReadEnvironment {
  return envFile === undefined ? () => base : () => ({ ...base, ...readEnvFile(envFile) });
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  const remedy = 'write a complete file beside it and rename it into place';
  const read = loadEnvFile(file);
  if (!read.ok && read.line === null)
    throw new EnvFileProblem(`the env file cannot be read: ${read.problem}; ${remedy}`);
  if (!read.ok) throw new EnvFileProblem(`the env file ${file}:${read.line}: ${read.problem}; ${remedy}`);
  // Whoever rewrites a file in place first truncates it.
  if (Object.keys(read.values).length === 0)
    throw new EnvFileProblem(`the env file ${file} sets no variable; ${remedy}`);
  return read.values;
}

/** Reads a file of environment variables. `line` is null if the file cannot be read at all. */
export function loadEnvFile(file: string): EnvFile | { ok: false; line: null; problem: string } {
  try {
    return parseEnvFile(readFileSync(file, 'utf8'));
  } catch (error) {
    return { ok: false, line: null, problem: (error as Error).message };
  }
}
