import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256 } from '#lib';

/** Returns the folder for our files on this platform: see specs/reference/results.md, "State". */
function platformFolder(kind: 'state' | 'cache'): string {
  const home = homedir();
  const xdg = process.env[kind === 'state' ? 'XDG_STATE_HOME' : 'XDG_CACHE_HOME'];
  if (process.platform === 'darwin') {
    return join(home, 'Library', kind === 'state' ? 'Application Support' : 'Caches', 'llm-tool-test');
  }
  // XDG says that empty and relative values are to be ignored.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, kind === 'state' ? '.local/state' : '.cache');
  return join(base, 'llm-tool-test');
}

function isUsable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Predicts what `isUsable` returns, without creating the folder. */
function wouldBeUsable(folder: string): boolean {
  const existing = nearestExisting(folder);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return statSync(existing).isDirectory();
  } catch {
    return false;
  }
}

/** Returns the folder itself or the nearest one above it that is looked for; null if there is none. */
export const folderAbove = (folder: string, isWanted: (folder: string) => boolean): string | null => {
  if (isWanted(folder)) return folder;
  return dirname(folder) === folder ? null : folderAbove(dirname(folder), isWanted);
};

/** Returns the folder itself, or the nearest folder above it that exists. */
export const nearestExisting = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));

/**
 * Returns a folder that belongs to the user and can be written. With a read-only HOME, it is in the temporary folder.
 */
function usableFolder(kind: 'state' | 'cache', usable = isUsable): string {
  const chosen = process.env[kind === 'state' ? 'LLM_TOOL_TEST_HOME' : 'LLM_TOOL_TEST_CACHE'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const usual = platformFolder(kind);
  if (usable(usual)) return usual;
  // By number, because a user in a container may have no name.
  const own = join(tmpdir(), `llm-tool-test-${process.getuid?.() ?? 0}`);
  if (usable === isUsable) claimOwn(own);
  return join(own, kind);
}

/** Thrown for a folder in which others could read or place our files. */
export class UnsafeFolder extends Error {}

/**
 * Everyone can write to the temporary folder, so a folder in it is ours only if we own it and nobody else has access.
 */
function claimOwn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const info = lstatSync(folder);
  const ours = info.isDirectory() && info.uid === (process.getuid?.() ?? info.uid);
  if (ours && (info.mode & 0o077) === 0) return;
  throw new UnsafeFolder(
    ours
      ? `${folder} is accessible to other users; run chmod 700 ${folder}`
      : `${folder} is not a folder that belongs to you; set LLM_TOOL_TEST_HOME and LLM_TOOL_TEST_CACHE to your own folders`,
  );
}

/** The folder for engines, workspaces, raw output and databases. LLM_TOOL_TEST_HOME overrides it. */
const stateHome = (): string => usableFolder('state');

/** The folder for executables. LLM_TOOL_TEST_CACHE overrides it. */
export const cacheHome = (): string => usableFolder('cache');

/** Returns where these two folders are or will be, without creating them. */
export const plannedHomes = (): { state: string; cache: string } => ({
  state: usableFolder('state', wouldBeUsable),
  cache: usableFolder('cache', wouldBeUsable),
});

/** Returns `path` without symlinks, even if its last parts do not exist yet. */
export function canonical(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(canonical(parent), full.slice(parent.length));
  }
}

/** The folder of a shared project's mirror in its private folder; see store/shared/shared-project.ts. */
export const mirrorFolder = (stateFolder: string): string => join(stateFolder, 'results');
/** The file beside a mirror that says which shared place it mirrors. */
export const sharedFile = (stateFolder: string): string => join(stateFolder, 'shared.json');

/**
 * The file that notes that a location was shared when this machine last used it. Its content is the id of the project.
 */
export const sharedBefore = (location: string, home = usableFolder('state', wouldBeUsable)): string =>
  join(home, 'shared-places', sha256(location).slice(0, 12));

/** Returns the private folder of a shared project, `<state>/<id>`. */
export const stateOfSharedProject = (id: string, home = stateHome()): string => join(canonical(home), id);

/** True if a results folder is the mirror of a shared place on this machine. */
export function isMirror(resultsPath: string): boolean {
  const path = resolve(resultsPath);
  return mirrorFolder(dirname(path)) === path && existsSync(sharedFile(dirname(path)));
}

/**
 * Part of every id of a project, and so of the names of its private folder, database, task queue and schedules. A
 * change here gives all of them other names: builds with other formats of these never open each other's.
 */
const LAYOUT = 'release 1';

/**
 * Returns the private folder of a results folder, `<state>/<id>`, and the id, which also names its task queue. A mirror
 * is in the private folder of its project.
 */
export function projectState(resultsPath: string, home = stateHome()): { id: string; folder: string } {
  const path = canonical(resultsPath);
  if (isMirror(path)) return { id: basename(dirname(path)), folder: dirname(path) };
  const id = sha256(`${LAYOUT}\n${path}`).slice(0, 12);
  return { id, folder: join(home, id) };
}
