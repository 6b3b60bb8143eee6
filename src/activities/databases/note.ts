import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonIfThere, writeFileAtomic } from '#host';

/** Says that a database may exist on a server. It has the server's address as written, without secrets. */
export interface DatabaseNote {
  name: string;
  written: string;
}

const folderOf = (state: string): string => join(state, 'databases');
const fileOf = (state: string, name: string): string => join(folderOf(state), `${name}.json`);

/** Notes a database before it is made, so that it is dropped whatever happens. */
export async function noteDatabase(state: string, note: DatabaseNote): Promise<void> {
  if (!existsSync(fileOf(state, note.name)))
    await writeFileAtomic(fileOf(state, note.name), JSON.stringify(note), 0o600);
}

/** Removes the note of a database that has been dropped. */
export const forgetDatabase = (state: string, name: string): void =>
  rmSync(fileOf(state, name), { force: true });

/** The databases of a run that may exist. */
export async function notedDatabases(state: string): Promise<DatabaseNote[]> {
  const folder = folderOf(state);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const notes = await Promise.all(
    // A note that is cut off was written right before a power failure, when nothing had been made yet.
    names.map((name) => readJsonIfThere<DatabaseNote>(join(folder, name)).catch(() => null)),
  );
  return notes.flatMap((note) => note ?? []);
}
