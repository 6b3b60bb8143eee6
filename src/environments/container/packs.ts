import { existsSync, mkdirSync, statSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cacheHome, isRealFolder, removeTree, TEMPORARY, temporaryName, treeBytes } from '#host';
import { sha256 } from '#lib';

/** The folder of agents that were packed for containers. */
export const packsFolder = (): string => join(cacheHome(), 'packed');

/** The folder of notes that say which runs use which packs. The names of packs begin with those of programs. */
const USES = '.uses';
/** A run that chooses a pack has no note of its own yet; and what is packed has its last name only in the end. */
const SETTLED_MS = 60 * 60 * 1000;

const isOlder = (path: string, now: number): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || now - found.mtimeMs > SETTLED_MS;
};

/**
 * Notes that a run uses a pack, whether or not that is there yet. `openRun`: a file that is there until the run is
 * over.
 */
export async function noteUse(pack: string, openRun: string): Promise<void> {
  const uses = join(dirname(pack), USES);
  mkdirSync(uses, { recursive: true, mode: 0o700 });
  await writeFile(join(uses, `${basename(pack)}.${sha256(openRun).slice(0, 12)}`), openRun);
}

/** True if a run that is not over, or that has just begun, uses a pack. Removes notes of other runs. */
async function isUsed(pack: string, now: number): Promise<boolean> {
  const uses = join(dirname(pack), USES);
  const names = (await readdir(uses).catch(() => [])).filter((name) => name.startsWith(`${basename(pack)}.`));
  for (const name of names) {
    const note = join(uses, name);
    if (!isOlder(note, now) || existsSync(await readFile(note, 'utf8').catch(() => ''))) return true;
    await removeTree(note);
  }
  return false;
}

/** Packs of agents that no run uses and that were left half-made, with their sizes in bytes, and the others. */
export interface Packs {
  unused: { folder: string; bytes: number }[];
  used: string[];
}

/** Looks for packs of agents that no run uses. */
export async function findPacks(now = Date.now()): Promise<Packs> {
  const found: Packs = { unused: [], used: [] };
  for (const name of await readdir(packsFolder()).catch(() => [])) {
    const folder = join(packsFolder(), name);
    if (name === USES || !isRealFolder(folder)) continue;
    const isKept = TEMPORARY.test(name) ? !isOlder(folder, now) : await isUsed(folder, now);
    if (isKept) found.used.push(folder);
    else found.unused.push({ folder, bytes: await treeBytes(folder) });
  }
  return found;
}

/** Removes a pack. Returns false, and leaves it, if a run has begun to use it. */
export async function removePack(folder: string, now = Date.now()): Promise<boolean> {
  const aside = temporaryName(folder);
  await rename(folder, aside);
  // A run notes its use before it looks for the pack: it is seen here, or the run does not find the pack and makes it.
  const isWanted = !TEMPORARY.test(folder) && (await isUsed(folder, now));
  // The run may have made it again already.
  if (isWanted && !isRealFolder(folder)) await rename(aside, folder).catch(() => removeTree(aside));
  else await removeTree(aside);
  return !isWanted;
}
