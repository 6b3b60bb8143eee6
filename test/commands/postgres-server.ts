import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { until } from './project.js';

/** Neither root, as whom PostgreSQL refuses to start, nor a user who owns anything. */
const NOBODY = 65534;
const USER = 'tester';
/** With characters that must be encoded in an address. */
const PASSWORD = 'p@ss/w0rd-of-tester';

/** Folder of PostgreSQL's programs; null if it is not installed. */
export const postgresPrograms: string | null = programsIn('/usr/lib/postgresql');

function programsIn(root: string): string | null {
  const versions = existsSync(root) ? readdirSync(root) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((name) => join(root, name, 'bin'));
  return (
    [...folders, '/usr/local/bin', '/usr/bin'].find((folder) =>
      ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
    ) ?? null
  );
}

/** A PostgreSQL server of the tests, on loopback. */
export interface PostgresServer {
  port: number;
  /** Address with a password. */
  address: string;
  password: string;
  /** Names of the databases that were made for runs. */
  databases: () => Promise<string[]>;
  /** Runs a statement in a database. */
  query: (sql: string, database?: string) => Promise<Record<string, unknown>[]>;
  stop: () => Promise<void>;
  start: () => Promise<void>;
  remove: () => Promise<void>;
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-postgres-'));
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')];
  writeFileSync(secret, PASSWORD);
  const asNobody = process.getuid?.() === 0;
  if (asNobody) for (const path of [folder, secret]) chownSync(path, NOBODY, NOBODY);
  await chmod(folder, 0o700);
  const as = asNobody ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const command = (name: string, ...args: string[]): [string, string[]] => {
    const [first = '', ...rest] = [...as, join(programs, name), ...args];
    return [first, rest];
  };
  execFileSync(...command('initdb', '-D', data, '-U', USER, '--auth=scram-sha-256', '--pwfile', secret, '--no-sync'), {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await freePort();
  const address = `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  const query: PostgresServer['query'] = async (sql, database = 'postgres') => {
    const client = new pg.Client({ connectionString: `${address}/${database}` });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const launch = () => {
    const settings = ['listen_addresses=127.0.0.1', 'fsync=off', `unix_socket_directories=`];
    return execa(...command('postgres', '-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])), {
      cwd: folder,
      reject: false,
      stdio: 'ignore',
    });
  };
  let server: ReturnType<typeof launch> | null = null;
  const start = async (): Promise<void> => {
    server = launch();
    await until('PostgreSQL answers', () => query('SELECT 1').then(Boolean, () => null));
  };
  const stop = async (): Promise<void> => {
    server?.kill('SIGINT'); // ends connections, and then the server
    await server;
    server = null;
  };
  await start();
  return {
    port,
    address,
    password: PASSWORD,
    query,
    stop,
    start,
    databases: async () =>
      (await query(`SELECT datname FROM pg_database WHERE datname LIKE 'llm_tool_test%'`)).map(({ datname }) =>
        String(datname),
      ),
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
