import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyBestEffort, copyTree, isRealFolder, listTree, removeTree } from '#host';
import type { Contents } from './environment.js';

/** Fills a new folder on the host: the fixture's snapshot, its initial-state/ at the root, then `files` and `data`. */
export async function fillWorkspace(
  folder: string,
  { fixture, kept, files, data = {} }: Pick<Contents, 'fixture' | 'kept' | 'files' | 'data'>,
): Promise<void> {
  if (kept !== undefined) await copyWhole(kept, folder);
  else if (fixture === null) mkdirSync(folder, { recursive: true, mode: 0o700 });
  else await copyFixture(fixture, folder);
  for (const [path, content] of [...Object.entries(files), ...Object.entries(data)]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** @throws Error if something cannot be copied: what is checked would not be what was kept */
async function copyWhole(from: string, to: string): Promise<void> {
  const [skipped] = await copyBestEffort(from, to, null);
  if (skipped !== undefined) throw new Error(`${from}/${skipped.path} cannot be copied: ${skipped.reason}`);
}

/** Fills the folder, on the host, of the programs that come first on PATH. */
export function fillBinaries(folder: string, { programs, scripts = {} }: Pick<Contents, 'programs' | 'scripts'>): void {
  for (const [name, path] of Object.entries(programs))
    if (!Object.hasOwn(scripts, name)) symlinkSync(path, join(folder, name));
  // With `wx`, nothing is written through a symlink.
  for (const [name, content] of Object.entries(scripts))
    writeFileSync(join(folder, name), content, { mode: 0o700, flag: 'wx' });
}

async function copyFixture(fixture: string, folder: string): Promise<void> {
  const entries = await listTree(fixture);
  const initial = join(fixture, 'initial-state');
  // A file with that name is not special.
  const hasInitial = isRealFolder(initial);
  const ofInitialState = (path: string): boolean =>
    hasInitial && (path === 'initial-state' || path.startsWith('initial-state/'));
  const initialEntries = hasInitial ? await listTree(initial) : [];
  await copyTree(
    fixture,
    entries.filter((entry) => !ofInitialState(entry.path)),
    folder,
  );
  const kinds = new Map(entries.map(({ path, kind }) => [path, kind]));
  for (const { path, kind } of initialEntries) {
    // Only folders are merged. Copying over an existing symlink would follow it, and copying over a folder would fail.
    const replaced = kinds.get(path);
    if (replaced !== undefined && (kind !== 'folder' || replaced !== 'folder')) await removeTree(join(folder, path));
  }
  await copyTree(initial, initialEntries, folder);
}
