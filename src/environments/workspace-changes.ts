import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { copyBestEffort, createFolderOnce, isRealFolder, listTree, type Mask, type SkippedEntry } from '#host';
import type { WorkspaceChange, WorkspaceChanges } from '#model';
import type { Contents, Environment, EnvironmentHandle } from './environment.js';

/** Initial state of a path in the workspace: a file with its content, a text, or the target of a symlink. */
type Origin = { file: string } | { content: string } | { to: string };

/** Folders that tools write for themselves; nobody reads them as someone's work. */
const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_CHANGES = 200;
const MAX_VISITED = 20_000;
/** Files whose beginning is shown. */
export const MAX_STARTS = 50;
const START_BYTES = 16 * 1024;
/** Larger files of the same size are compared by their modification times. */
const COMPARE_BYTES = 8 * 1024 * 1024;

/** Flags that neither follow a symlink nor wait for a FIFO, in case one has replaced a file since it was checked. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Compares a workspace with what it was created from: the fixture, initial-state/ over it, `files` over both. */
export async function workspaceChanges(
  workspace: string,
  fixture: string,
  files: Record<string, string>,
): Promise<WorkspaceChanges> {
  const origins = await originsOf(fixture, files);
  const changed: WorkspaceChange[] = [];
  let more = 0;
  let starts = 0;
  const note = async (path: string, change: WorkspaceChange['change'], bytes: number | null) => {
    if (changed.length >= MAX_CHANGES) more += 1;
    else {
      const start =
        bytes === null || starts >= MAX_STARTS ? null : await startOf(join(workspace, path)).catch(() => null);
      if (start !== null) starts += 1;
      changed.push({ path, change, bytes, start });
    }
  };
  const seen = new Set<string>();
  const unchanged: string[] = [];
  for await (const path of filesBelow(workspace)) {
    seen.add(path);
    const info = await lstat(join(workspace, path)).catch(() => null);
    if (info === null) continue;
    const origin = origins.get(path);
    const bytes = info.isFile() ? info.size : null;
    if (origin === undefined) await note(path, 'added', bytes);
    else if (!(await isSame(join(workspace, path), origin).catch(() => false))) await note(path, 'changed', bytes);
    else if ('content' in origin) unchanged.push(path);
  }
  if (seen.size < MAX_VISITED) {
    for (const path of origins.keys()) if (!seen.has(path)) await note(path, 'removed', null);
  }
  return { changed, more, unchanged };
}

async function originsOf(fixture: string, files: Record<string, string>): Promise<Map<string, Origin>> {
  const initial = join(fixture, 'initial-state');
  const roots = [fixture, ...(isRealFolder(initial) ? [initial] : [])];
  const origins = new Map<string, Origin>();
  for (const root of roots) {
    for (const entry of await listTree(root)) {
      const { path, kind } = entry;
      const parts = path.split('/');
      if (kind === 'folder' || (root === fixture && parts[0] === 'initial-state')) continue;
      if (parts.some((part) => SKIPPED.has(part))) continue;
      origins.set(path, kind === 'symlink' ? { to: entry.to } : { file: join(root, path) });
    }
  }
  for (const [path, content] of Object.entries(files)) origins.set(path, { content });
  return origins;
}

/** Yields the paths of everything except folders, in a fixed order. Skips folders that cannot be read. */
async function* filesBelow(root: string): AsyncGenerator<string> {
  const folders = [''];
  let visited = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if ((visited += 1) > MAX_VISITED) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(path);
      else yield path;
    }
  }
}

async function isSame(path: string, origin: Origin): Promise<boolean> {
  const info = await lstat(path);
  if ('to' in origin) return info.isSymbolicLink() && (await readlink(path)) === origin.to;
  if (!info.isFile()) return false;
  if ('content' in origin) return (await readFile(path, { encoding: 'utf8', flag: AS_IT_IS })) === origin.content;
  const before = await lstat(origin.file);
  if (before.size !== info.size) return false;
  // Copies keep the modification time of the original.
  if (info.size > COMPARE_BYTES) return Math.abs(before.mtimeMs - info.mtimeMs) < 1;
  return (await readFile(path, { flag: AS_IT_IS })).equals(await readFile(origin.file));
}

async function startOf(path: string): Promise<string | null> {
  const file = await open(path, AS_IT_IS);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return textAtStart(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** The beginning of a content as text, as it is shown of files; null if it is no text. @throws if it is not UTF-8 */
export function textAtStart(content: Uint8Array): string | null {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(0, START_BYTES), {
    stream: true, // the last character may be incomplete
  });
  return text.includes('\0') ? null : text;
}

/** Returns what has changed in the workspace since `prepare` created it; null if the workspace is gone. */
export const changesIn = (
  environment: Pick<Environment, 'view'>,
  handle: EnvironmentHandle,
  { fixture, files }: { fixture: string; files: Contents['files'] },
): Promise<WorkspaceChanges | null> =>
  environment.view(handle, (workspace) => workspaceChanges(workspace, fixture, files));

/**
 * Kills everything of the run that is still alive and copies the workspace to `to`, with names and contents passed
 * through `mask`. Returns what was left out. Can be repeated.
 */
export async function collect(
  environment: Pick<Environment, 'kill' | 'view'>,
  handle: EnvironmentHandle,
  to: string,
  mask: Mask | null,
): Promise<SkippedEntry[]> {
  await environment.kill(handle, 'everything');
  const leftOut = await environment.view(handle, async (workspace) => {
    if (isRealFolder(to)) return copyBestEffort(workspace, null, mask); // an earlier attempt has copied it
    let found: SkippedEntry[] = [];
    await createFolderOnce(to, async (temporary) => {
      found = await copyBestEffort(workspace, temporary, mask);
    });
    return found;
  });
  return leftOut ?? []; // the workspace was never created, or is gone
}
