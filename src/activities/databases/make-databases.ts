import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createDatabase,
  dropDatabase,
  performSql,
  PostgresRefusal,
  readJsonIfThere,
  serverOf,
  writeFileAtomic,
} from '#host';
import { interpolate } from '#lib';
import type { Fence } from '../step/fence.js';
import type { RunIdentity, RunSecrets } from '../run/context.js';

/** Says that a database may exist on a server. It has the server's address as written, without secrets. */
interface DatabaseNote {
  name: string;
  written: string;
}

const folderOf = (state: string): string => join(state, 'databases');
const fileOf = (state: string, name: string): string => join(folderOf(state), `${name}.json`);

/** Notes a database before it is made, so that it is dropped whatever happens. */
async function noteDatabase(state: string, note: DatabaseNote): Promise<void> {
  if (!existsSync(fileOf(state, note.name)))
    await writeFileAtomic(fileOf(state, note.name), JSON.stringify(note), 0o600);
}

/** Removes the note of a database that has been dropped. */
const forgetDatabase = (state: string, name: string): void => rmSync(fileOf(state, name), { force: true });

/** The databases of a run that may exist. */
async function notedDatabases(state: string): Promise<DatabaseNote[]> {
  const folder = folderOf(state);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const notes = await Promise.all(
    // A note that is cut off was written right before a power failure, when nothing had been made yet.
    names.map((name) => readJsonIfThere<DatabaseNote>(join(folder, name)).catch(() => null)),
  );
  return notes.flatMap((note) => note ?? []);
}

/** Names a database of the scenario for messages. */
export const databaseAt = ({ scenario }: Pick<RunIdentity, 'scenario'>, index: number): string =>
  scenario.databases?.length === 1 ? 'setup.database' : `setup.database[${index}]`;

/**
 * Makes and fills the databases of a run on servers, from scratch each time. Returns what is wrong with the scenario,
 * or null.
 * @throws Error if a server cannot be used now; a later attempt may succeed
 */
export async function makeDatabases(
  context: RunIdentity & RunSecrets,
  fence: Fence,
  signal: AbortSignal,
): Promise<string | null> {
  const { state, onServers } = context;
  const [invalid] = onServers.invalid;
  if (invalid !== undefined)
    return `setup.database: the value of ${invalid} is not an address like postgres://user@host:5432`;
  for (const { index, name, written, server, address, sql } of onServers.databases) {
    await noteDatabase(state, { name, written });
    await fence.check();
    try {
      await createDatabase(server, name, signal);
      const problem = await performSql(address, sql, signal);
      if (problem !== null) return `${databaseAt(context, index)}.sql: ${problem}`;
    } catch (error) {
      if (error instanceof PostgresRefusal) return `${databaseAt(context, index)}.postgres: ${error.message}`;
      throw error;
    }
  }
  return null;
}

const DROP_MS = 15_000;

/** The databases of a run that may exist on servers. `values`: those of the variables in the servers' addresses. */
export async function databaseResources(state: string, values: Readonly<Record<string, string | undefined>>) {
  return (await notedDatabases(state)).map(({ name, written }) => {
    const filled = interpolate(written, values);
    const server = filled.ok && URL.canParse(filled.text) ? serverOf(filled.text) : written;
    return {
      name: `PostgreSQL database ${name} at ${server}`,
      remedy: `DROP DATABASE ${name}`,
      remove: async () => {
        if (!filled.ok)
          throw new Error(`not set: ${filled.missing.join(', ')}; set it in the shell of \`engine start\` to drop it`);
        await dropDatabase(filled.text, name, AbortSignal.timeout(DROP_MS));
        forgetDatabase(state, name);
      },
    };
  });
}
