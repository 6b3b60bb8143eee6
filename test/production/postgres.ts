import { readdirSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { anyFreePort, LOOPBACK } from '../../src/engine/server.js';
import { NotHere } from './executables.js';
import type { Service } from './compose-file.js';
import { startProcess, type Started } from './started.js';

const DEBIAN = '/usr/lib/postgresql';

/** The folder of Debian's newest PostgreSQL, whose programs are not on PATH. @throws NotHere */
export function postgresPrograms(): string {
  let versions: string[] = [];
  try {
    versions = readdirSync(DEBIAN);
  } catch {
    // None.
  }
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new NotHere(`no PostgreSQL of Debian in ${DEBIAN}`);
  return join(DEBIAN, newest, 'bin');
}

export interface Postgres {
  port: number;
  pid(): number;
  /** Kills the database and starts it again: it recovers from its log. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a database like the official image, from the service's environment but on a free port. */
export async function startPostgres(service: Service, folder: string): Promise<Postgres> {
  const programs = postgresPrograms();
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = service.environment;
  if (user == null || password == null) throw new Error('the service postgresql has no user or password');
  const data = join(folder, 'postgresql');
  const passwordFile = join(folder, 'postgresql-password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  const owner = await otherUser();
  if (owner !== null) {
    await chown(data, owner.uid, owner.gid);
    await chown(passwordFile, owner.uid, owner.gid);
  }
  const env = { PATH: `${programs}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8' };
  await execa(
    '/usr/bin/env',
    [
      ...asUser(owner),
      ...[join(programs, 'initdb'), '--pgdata', data, '--username', user, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--no-sync'],
    ],
    { env, cwd: data },
  );

  const port = await anyFreePort();
  const start = async (): Promise<Started> => {
    const server = startProcess(
      [...asUser(owner), join(programs, 'postgres'), ...['-D', data, '-p', String(port), '-h', LOOPBACK, '-k', data]],
      { env, cwd: data, log: join(folder, 'postgresql.log') },
    );
    // The health check from the file; libpq takes the port from the environment.
    const [, ...check] = service.healthcheck?.test ?? [];
    await server.until('PostgreSQL is healthy', async () => {
      const [program = '', ...args] = check;
      const { exitCode } = await execa(program, args, {
        env: { ...env, PGPORT: String(port) },
        reject: false,
      });
      return exitCode === 0;
    });
    return server;
  };
  let server = await start();
  // The image creates a database with the user's name.
  await execa(join(programs, 'createdb'), ['--host', LOOPBACK, '--username', user, user], {
    env: { ...env, PGPORT: String(port), PGPASSWORD: password },
  });
  return {
    port,
    pid: () => server.pid,
    async restart() {
      // All its processes end at once, without a checkpoint.
      await server.end('SIGQUIT');
      server = await start();
    },
    // A fast shutdown; SIGTERM would wait for clients.
    stop: () => server.end('SIGINT'),
  };
}

/** The user to run PostgreSQL as, since it refuses to run as root; null if this process is not root. */
async function otherUser(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const { stdout, exitCode } = await execa('id', ['-u', name], { reject: false });
    const group = await execa('id', ['-g', name], { reject: false });
    if (exitCode === 0) return { uid: Number(stdout), gid: Number(group.stdout) };
  }
  throw new Error('there is no user `postgres` or `nobody` to run PostgreSQL as');
}

const asUser = (user: { uid: number; gid: number } | null): string[] =>
  user === null
    ? []
    : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--pdeathsig=KILL', '--'];
