import { mkdir, mkdtemp, rm, symlink, writeFile, chmod } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { LOOPBACK, readTail } from '../../src/engine/server.js';
import { REPOSITORY } from '../commands/project.js';
import { commandOf, type ComposeModel, type ServiceName } from './compose-file.js';
import { startPostgres, type Postgres } from './postgres.js';
import { startProcess, type Started } from './started.js';

/** The paths of the programs in the images. */
export interface Programs {
  server: string;
  sqlTool: string;
  temporal: string;
}

/** The services of the Compose file without containers: the same commands and values, on this machine. */
export interface Stack {
  /** The address of the server's frontend. */
  address: string;
  /** Runs a job of the file to its end and returns its output; throws if it fails. */
  job(name: 'schema' | 'namespace'): Promise<string>;
  /** The environment of a service, with PATH and HOME as in its container. */
  environmentOf(name: ServiceName, more?: Record<string, string>): Record<string, string>;
  server(): Started;
  postgres: Postgres;
  startServer(): Promise<void>;
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the services. Only host names, ports and paths differ from the file: the tests use loopback addresses, free
 * ports and a folder instead of containers.
 */
export async function startStack(model: ComposeModel, programs: Programs): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-production-'));
  // PostgreSQL runs as another user and needs access to its folder in it.
  await chmod(folder, 0o711);
  const bin = join(folder, 'bin');
  const home = join(folder, 'home');
  const serverLog = join(folder, 'temporal.log');
  await mkdir(bin);
  await mkdir(home);
  await symlink(programs.sqlTool, join(bin, 'temporal-sql-tool'));
  await symlink(programs.server, join(bin, 'temporal-server'));
  await symlink(programs.temporal, join(bin, 'temporal'));
  await symlink(join(REPOSITORY, 'dist/cli.js'), join(bin, 'llm-tool-test'));

  const configs: Record<string, string> = {};
  for (const { source, target } of model.services.temporal.configs) {
    configs[target] = join(folder, source);
    await writeFile(join(folder, source), model.configs[source]?.content ?? '');
  }
  const ports = await serverPorts();
  const address = `${LOOPBACK}:${ports['FRONTEND_GRPC_PORT']}`;
  const postgres = await startPostgres(model.services.postgresql, folder).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const inPlace: Record<string, string> = {
    postgresql: LOOPBACK,
    '5432': String(postgres.port),
    'temporal:7233': address,
    ...configs,
  };

  const environmentOf: Stack['environmentOf'] = (name, more = {}) => ({
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    ...Object.fromEntries(
      Object.entries(model.services[name].environment).flatMap(([key, value]) =>
        value === null ? [] : [[key, inPlace[value] ?? value]],
      ),
    ),
    ...more,
  });
  let server: Started | null = null;
  const stack: Stack = {
    address,
    postgres,
    environmentOf,
    async job(name) {
      const [program = '', ...args] = commandOf(model.services[name]);
      const env = environmentOf(name);
      const result = await execa(program, args, {
        env,
        extendEnv: false,
        cwd: home,
        all: true,
        reject: false,
      });
      if (!result.failed) return result.all;
      throw new Error(`the job ${name} failed:\n${result.all.slice(-2000)}\n${await readTail(serverLog)}`);
    },
    server() {
      if (server === null) throw new Error('the server is not running');
      return server;
    },
    async startServer() {
      // The command that the image's entrypoint finally runs.
      server = startProcess(['setpriv', '--pdeathsig=KILL', '--', 'temporal-server', 'start'], {
        env: environmentOf('temporal', ports),
        cwd: home,
        log: serverLog,
      });
      await server.until('the server listens', () => listens(Number(ports['FRONTEND_GRPC_PORT'])));
    },
    restartPostgres: () => postgres.restart(),
    async stop() {
      await server?.end('SIGTERM');
      await postgres.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return stack;
}

/** In a container the usual ports are free; here each service needs a free port. */
async function serverPorts(): Promise<Record<string, string>> {
  const names = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'].flatMap((service) => [
    `${service}_GRPC_PORT`,
    `${service}_MEMBERSHIP_PORT`,
  ]);
  const ports: Record<string, string> = {};
  for (const name of [...names, 'FRONTEND_HTTP_PORT']) {
    let port = await freePort();
    while (Object.values(ports).includes(port)) port = await freePort();
    ports[name] = port;
  }
  return ports;
}

/** A free port below 32,768: the server's table of members stores ports as signed 16-bit numbers. */
async function freePort(): Promise<string> {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return (await listens(port)) ? freePort() : String(port);
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, LOOPBACK);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
