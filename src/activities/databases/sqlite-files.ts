import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInThread, packageFile } from '#host';
import type { Scenario } from '#scenario';
import type { SeedInput, SeedResult } from './seed-program.js';

const PROGRAM = new URL('./seed-program.js', import.meta.url);
const WASM = packageFile('dist/sqlite.wasm');
/** Statements may take this long in all. */
export const FILL_SECS = 300;

/** Contents of files by path, or why they cannot be made: what to say about the database with this index. */
export type SqliteFiles =
  { ok: true; files: Record<string, Uint8Array> } | { ok: false; index: number; problem: string };

/**
 * Makes the SQLite files of a scenario: those of the fixture or of `files` with statements performed in them, and new
 * ones. Nothing is written, so it works for any environment.
 */
export async function sqliteFiles(
  { databases = [], inputs }: Pick<Scenario, 'databases' | 'inputs'>,
  fixture: string,
  signal: AbortSignal,
  limitSecs = FILL_SECS,
): Promise<SqliteFiles> {
  const files: Record<string, Uint8Array> = {};
  for (const [index, database] of databases.entries()) {
    if (!('sqlite' in database)) continue;
    const { sqlite: path, sql } = database;
    const text = inputs.files[path];
    const found = text === undefined ? fileOf(fixture, path) : null;
    const log = found === null ? null : (lstatSync(`${found}-wal`, { throwIfNoEntry: false }) ?? null);
    if (log !== null && log.size > 0)
      return { ok: false, index, problem: `${path}-wal has changes that are not in ${path}: checkpoint it` };
    const content = text !== undefined ? Buffer.from(text) : found === null ? null : await readFile(found);
    const input: SeedInput = { content, sql, wasm: WASM };
    const result = await runInThread<SeedResult>(PROGRAM, input, limitSecs, signal);
    if (result === null) return { ok: false, index, problem: `not finished within ${limitSecs} s` };
    if ('problem' in result) return { ok: false, index, problem: result.problem };
    files[path] = result.content;
  }
  return { ok: true, files };
}

/** A file of the fixture, as it will be in the workspace; null if there is none. */
const fileOf = (fixture: string, path: string): string | null =>
  [join(fixture, 'initial-state', path), join(fixture, path)].find(
    (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
  ) ?? null;
