import type { Client } from 'pg';
import { sqlProblem } from '#lib';

const CONNECT_MS = 5000;

/** The server refused what was asked: asking again does not help. */
export class PostgresRefusal extends Error {}

/** The server that an address names, for people: `host:port`. */
export function serverOf(address: string): string {
  const { hostname, port, searchParams } = new URL(address);
  return searchParams.get('host') ?? `${hostname === '' ? 'localhost' : hostname}:${port === '' ? 5432 : port}`;
}

/** The same address, with another database. */
export function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

/** The database that is used to make and drop others; the one that every server has, unless the address names one. */
const adminAddress = (address: string): string =>
  /^\/?$/.test(new URL(address).pathname) ? withDatabase(address, 'postgres') : address;

/** Makes an empty database, in place of one with this name. The name must need no quotes. */
export const createDatabase = (address: string, name: string, signal: AbortSignal): Promise<void> =>
  withClient(adminAddress(address), signal, async (client) => {
    await drop(client, name);
    await client.query(`CREATE DATABASE "${name}"`);
  });

/** Drops a database, even if clients are connected to it. Does nothing if there is none. */
export const dropDatabase = (address: string, name: string, signal: AbortSignal): Promise<void> =>
  withClient(adminAddress(address), signal, (client) => drop(client, name));

/** Since this version, a database can be dropped together with its connections. */
const WITH_FORCE = 130_000;

async function drop(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`);
  if (Number(rows[0]?.version) >= WITH_FORCE) {
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    return;
  }
  await dropWithoutForce(client, name);
}

/** For servers before PostgreSQL 13: refuses new connections, ends those that are open, and drops the database. */
export async function dropWithoutForce(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) return;
  await client.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  // Waits a few seconds for connections that are ending.
  await client.query(`DROP DATABASE IF EXISTS "${name}"`);
}

/** Performs SQL statements in a database. Returns what is wrong with them; null if nothing is. */
export const performSql = (address: string, sql: string, signal: AbortSignal): Promise<string | null> =>
  withClient(address, signal, async (client) => {
    let completed = 0;
    // The server does not say which one of several statements failed.
    const { connection } = client as Client & { connection: NodeJS.EventEmitter };
    connection.on('commandComplete', () => (completed += 1));
    try {
      await client.query(sql);
      return null;
    } catch (error) {
      if (!isAnswer(error) || isTemporary(error.code)) throw error;
      const reason = [error.message, error.detail ?? ''].filter((text) => text !== '').join(': ');
      const at = Number(error.position);
      return sqlProblem(sql, at > 0 ? { at: at - 1 } : { nth: completed }, reason);
    }
  });

/**
 * Connects to a database for the time of `use`.
 * @throws PostgresRefusal if the server refuses; another Error if it cannot be reached or is busy
 */
async function withClient<T>(address: string, signal: AbortSignal, use: (client: Client) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined); // a lost connection also fails the query
  // Ends a query that is being performed, too.
  const end = (): Promise<void> => client.end().catch(() => undefined);
  signal.addEventListener('abort', () => void end(), { once: true });
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    signal.throwIfAborted();
    throw problemOf(error, address);
  } finally {
    await end();
  }
}

function problemOf(error: unknown, address: string): Error {
  const { message } = error as Error;
  const server = `PostgreSQL at ${serverOf(address)}`;
  if (isAnswer(error) && !isTemporary(error.code)) return new PostgresRefusal(`${server} refuses: ${message}`);
  return new Error(`${server} cannot be used now: ${message === '' ? codesIn(error) : message}`);
}

/** An attempt at several addresses of a host fails without a message. */
const codesIn = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map((one) => (one as Error).message).join('; ')
    : ((error as NodeJS.ErrnoException).code ?? 'no reason given');

interface Answer extends Error {
  code: string;
  detail?: string;
  position?: string;
}

/** An error that the server has sent, with its code of five characters. */
const isAnswer = (error: unknown): error is Answer => error instanceof Error && 'severity' in error && 'code' in error;

/** Lost connections, a server that is starting or stopping, and a lack of connections or memory. */
const isTemporary = (code: string): boolean => /^(08|53|57P)/.test(code);
