import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonIfThere } from './fs/read-file.js';
import { writeFileAtomic } from './fs/write-file.js';

/** Something that was made for a run outside its folders on this machine, and could not be removed. */
const Leftover = z.object({
  /** The name, for people: `docker container NAME`. */
  name: z.string(),
  /** The reason why it could not be removed, redacted. */
  reason: z.string(),
  /** Tells a person how to remove it. */
  remedy: z.string(),
});
export type Leftover = z.infer<typeof Leftover>;

/** Everything that is left of a run. Kept until it has been removed. */
const LeftoverNote = z.object({
  sweep: z.string(),
  run: z.string(),
  at: z.string(),
  left: z.array(Leftover).min(1),
});
export type LeftoverNote = z.infer<typeof LeftoverNote>;

const folderOf = (stateFolder: string): string => join(stateFolder, 'leftovers');

export const leftoversFile = (stateFolder: string, run: string): string => join(folderOf(stateFolder), `${run}.json`);

/** Notes what is left of a run, in place of what was noted before. */
export async function noteLeftovers(stateFolder: string, note: LeftoverNote): Promise<void> {
  mkdirSync(folderOf(stateFolder), { recursive: true, mode: 0o700 });
  await writeFileAtomic(leftoversFile(stateFolder, note.run), JSON.stringify(note), 0o600);
}

/** Removes the note of a run of which nothing is left any more. */
export const forgetLeftovers = (stateFolder: string, run: string): void =>
  rmSync(leftoversFile(stateFolder, run), { force: true });

/** Returns the notes of all runs of which something is left. */
export async function readLeftovers(stateFolder: string): Promise<LeftoverNote[]> {
  let names: string[];
  try {
    names = readdirSync(folderOf(stateFolder)).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  const notes = await Promise.all(
    names.sort().map((name) => readJsonIfThere(join(folderOf(stateFolder), name)).catch(() => null)),
  );
  return notes.flatMap((note) => LeftoverNote.safeParse(note).data ?? []);
}
