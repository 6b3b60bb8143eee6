import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJiti } from 'jiti';
import pg from 'pg';
import { Connection } from '@temporalio/client';
import { cpuOf } from './project.js';

const POLL_MS = 200;
const test = createJiti(import.meta.url);

/**
 * A Temporal server that workers use by its address.
 * @typedef {object} BenchServer
 * @property {string} name
 * @property {string} address
 * @property {() => number} cpu CPU seconds of server and database so far
 * @property {() => Promise<number>} databaseBytes
 * @property {() => Promise<void>} stop
 */

/** The development server on SQLite, with its own settings. @returns {Promise<BenchServer>} */
export async function startOnSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-server-'));
  const database = join(folder, 'temporal.db');
  const address = `127.0.0.1:${20_000 + Math.floor(Math.random() * 10_000)}`;
  const [, port = ''] = address.split(':');
  const args = ['server', 'start-dev', '--headless', '--port', port, '--db-filename', database];
  const server = spawn(process.env['LLM_TOOL_TEST_TEMPORAL_BIN'] ?? 'temporal', args, { stdio: 'ignore' });
  while (!(await answers(address))) await sleep(POLL_MS);
  return {
    name: 'SQLite',
    address,
    cpu: () => cpuOf(server.pid ?? 0).own,
    databaseBytes: () =>
      Promise.resolve(
        [database, `${database}-wal`]
          .filter((file) => existsSync(file))
          .reduce((sum, file) => sum + statSync(file).size, 0),
      ),
    stop: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The server of docker-compose.yml on PostgreSQL, as `npm run test:production` builds and starts it.
 * @returns {Promise<BenchServer | string>} why it cannot be started here
 */
export async function startOnPostgres() {
  const { findTemporal } = await load('../../src/engine/find-temporal.ts');
  const { provideProgram, NotHere } = await load('../../test/production/executables.ts');
  const { postgresPrograms } = await load('../../test/production/postgres.ts');
  const { loadCompose } = await load('../../test/production/compose-file.ts');
  const { startStack } = await load('../../test/production/stack.ts');
  process.env['PRODUCTION_BUILD_SECS'] ??= '0';
  const quiet = () => undefined;
  try {
    postgresPrograms();
    const model = await loadCompose(await provideProgram('compose', quiet));
    const stack = await startStack(model, {
      server: await provideProgram('server', quiet),
      sqlTool: await provideProgram('sqlTool', quiet),
      temporal: (await findTemporal(quiet)).path,
    });
    await stack.job('schema');
    await stack.startServer();
    await stack.job('namespace');
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = model.services.postgresql.environment;
    const database = { host: '127.0.0.1', port: stack.postgres.port, user, password, database: user };
    return {
      name: 'PostgreSQL',
      address: stack.address,
      cpu: () => {
        const postgres = cpuOf(stack.postgres.pid());
        return cpuOf(stack.server().pid).own + postgres.own + postgres.children;
      },
      databaseBytes: async () => {
        const client = new pg.Client(database);
        await client.connect();
        const { rows } = await client.query('select sum(pg_database_size(datname)) as bytes from pg_database');
        await client.end();
        return Number(rows[0].bytes);
      },
      stop: () => stack.stop(),
    };
  } catch (error) {
    if (error instanceof NotHere) return /** @type {Error} */ (error).message;
    throw error;
  }
}

/** @param {string} path @returns {Promise<any>} */
const load = (path) => test.import(path);

/** @param {string} address */
async function answers(address) {
  try {
    await (await Connection.connect({ address, connectTimeout: 1000 })).close();
    return true;
  } catch {
    return false;
  }
}
