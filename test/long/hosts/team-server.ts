import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../../src/lib/search-attributes.js';
import { findTemporal } from '../../../src/engine/find-temporal.js';
import { anyFreePort } from '../../../src/engine/server.js';
import { namespaceId, withClient } from '../../../src/engine/temporal/temporal-client.js';
import { loadCompose } from '../../production/compose-file.js';
import { NotHere, provideProgram } from '../../production/executables.js';
import { serverPrograms } from '../../production/server-programs.js';
import { startStack } from '../../production/stack.js';
import { startProcess, type Started } from '../../production/started.js';

/** A Temporal server that several hosts use. */
export interface TeamServer {
  /** The name of the server, for the output of the tests. */
  name: string;
  address: string;
  /** Kills the server and starts it again. */
  restart: () => Promise<void>;
  /** The same with its database; null if it has none of its own. */
  restartDatabase: (() => Promise<void>) | null;
  stop: () => Promise<void>;
}

/** On one address, the parts of the development server would not find each other. */
const ANY = '0.0.0.0';

const report = (text: string): void => console.log(`many hosts: ${text}`);

/**
 * Starts the server of docker-compose.yml on PostgreSQL, or else the development server. `at` is this machine's address
 * for the hosts. The programs are built only if PRODUCTION_BUILD_SECS says how long that may take.
 */
export async function startTeamServer(at: string): Promise<TeamServer> {
  try {
    return await onPostgres(at);
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    return developmentServer(at, error.message);
  }
}

async function onPostgres(at: string): Promise<TeamServer> {
  const programs = await serverPrograms(report, 0);
  const model = await loadCompose(await provideProgram('compose', report, 0));
  const stack = await startStack(model, programs);
  const address = stack.address.replace(/^[^:]+/, at);
  const start = async (): Promise<Started> => {
    await stack.startServer();
    return stack.server();
  };
  try {
    await stack.job('schema');
    await start();
    await stack.job('namespace');
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return {
    name: `${model.services.temporal.image} on PostgreSQL`,
    address,
    async restart() {
      await stack.server().end('SIGKILL');
      await untilServing(address, start);
    },
    async restartDatabase() {
      await stack.restartPostgres();
      await untilServing(address, start, stack.server());
    },
    stop: () => stack.stop(),
  };
}

async function developmentServer(at: string, reason: string): Promise<TeamServer> {
  const { path, version } = await findTemporal(report);
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-team-'));
  const ports = ['--port', String(await anyFreePort()), '--ui-port', String(await anyFreePort())];
  const address = `${at}:${ports[1] ?? ''}`;
  const database = ['--db-filename', join(folder, 'temporal.db'), '--sqlite-pragma', 'journal_mode=WAL'];
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  const start = (): Promise<Started> =>
    Promise.resolve(
      startProcess(
        [path, 'server', 'start-dev', '--ip', ANY, ...ports, ...database, ...attributes, '--log-level', 'warn'],
        { env: { PATH: process.env['PATH'], HOME: folder }, cwd: folder, log: join(folder, 'server.log') },
      ),
    );
  let server = await untilServing(address, start);
  return {
    name: `the development server of Temporal ${version} (${reason})`,
    address,
    async restart() {
      await server.end('SIGKILL');
      server = await untilServing(address, start);
    },
    restartDatabase: null,
    async stop() {
      await server.end('SIGTERM');
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A server ends if its database does not answer while it starts. Docker Compose would start it again, too. */
const STARTS = 5;

/** Waits until a server answers. Starts it first if none is given, and again if it ends. */
async function untilServing(
  address: string,
  start: () => Promise<Started>,
  running: Started | null = null,
): Promise<Started> {
  for (let starts = 1; ; starts += 1) {
    try {
      const server: Started = running ?? (await start());
      await server.until('the server answers', () => answers(address));
      return server;
    } catch (error) {
      if (starts === STARTS) throw error;
      running = null;
    }
  }
}

/** True if a server knows the default namespace. */
async function answers(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(5000);
    const to = { address, namespace: 'default', external: true };
    await withClient(to, { timeoutMs: 2000, signal }, namespaceId);
    return true;
  } catch {
    return false;
  }
}
