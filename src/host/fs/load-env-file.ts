import { readFileSync } from 'node:fs';
import { type EnvFile, parseEnvFile } from '#lib';

/** Reads a file of environment variables. `line` is null if the file cannot be read at all. */
export function loadEnvFile(file: string): EnvFile | { ok: false; line: null; problem: string } {
  try {
    return parseEnvFile(readFileSync(file, 'utf8'));
  } catch (error) {
    return { ok: false, line: null, problem: (error as Error).message };
  }
}
