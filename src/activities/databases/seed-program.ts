import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { sqlProblem } from '#lib';

/** Content of an SQLite file, or null for a new one, and the statements to perform. */
export interface SeedInput {
  content: Uint8Array | null;
  sql: string;
  /** Path of SQLite itself, compiled to WebAssembly. */
  wasm: string;
}
export type SeedResult = { content: Uint8Array } | { problem: string };

/** Offset of two bytes of the header that say how the file is written: 2 with a write-ahead log, 1 without. */
const WRITE_VERSION = 18;

/** Program of the thread that fills an SQLite file (sqlite-files.ts). */
const { content, sql, wasm } = workerData as SeedInput;
parentPort?.postMessage(await seed());

async function seed(): Promise<SeedResult> {
  // Its code is CommonJS, which expects this when it is loaded.
  Object.assign(globalThis, { __dirname: import.meta.dirname, __filename: import.meta.filename });
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs({ wasmBinary: new Uint8Array(readFileSync(wasm)).buffer });
  // A database in memory has no place for a log.
  const hasLog = content?.[WRITE_VERSION] === 2;
  if (hasLog) content.fill(1, WRITE_VERSION, WRITE_VERSION + 2);
  const database = new Database(content);
  const statements = database.iterateStatements(sql);
  let at = 0;
  try {
    database.exec('PRAGMA schema_version'); // fails if the file is not a database
    for (;;) {
      at = sql.length - statements.getRemainingSQL().length;
      const { value: statement, done } = statements.next();
      if (done) break;
      while (statement.step());
    }
    const made = database.export();
    if (hasLog) made.fill(2, WRITE_VERSION, WRITE_VERSION + 2);
    return { content: made };
  } catch (error) {
    return { problem: sqlProblem(sql, { at }, (error as Error).message) };
  }
}
