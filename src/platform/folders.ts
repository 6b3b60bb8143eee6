import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256 } from '../lib/hash.js';

/** Where a program keeps what: see specs/reference/results.md, "State". */
function platformFolder(kind: 'state' | 'cache'): string {
  const home = homedir();
  const xdg = process.env[kind === 'state' ? 'XDG_STATE_HOME' : 'XDG_CACHE_HOME'];
  if (process.platform === 'darwin') {
    return join(home, 'Library', kind === 'state' ? 'Application Support' : 'Caches', 'llm-tool-test');
  }
  // Empty and relative values are to be ignored, says XDG.
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, kind === 'state' ? '.local/state' : '.cache');
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

/** Whether `isUsable` will probably say so, without making anything. */
function wouldBeUsable(folder: string): boolean {
  const existing = nearestExisting(folder);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return statSync(existing).isDirectory();
  } catch {
    return false;
  }
}

/** The folder itself, or the first one above it that is there. */
export const nearestExisting = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));

/** A folder of the user's own that can be written; with a read-only HOME it is under the temporary folder. */
function usableFolder(kind: 'state' | 'cache', usable = isUsable): string {
  const chosen = process.env[kind === 'state' ? 'LLM_TOOL_TEST_HOME' : 'LLM_TOOL_TEST_CACHE'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const usual = platformFolder(kind);
  if (usable(usual)) return usual;
  // By number: a user in a container may have no name.
  const own = join(tmpdir(), `llm-tool-test-${process.getuid?.() ?? 0}`);
  if (usable === isUsable) claimOwn(own);
  return join(own, kind);
}

/** Thrown for a folder in which others could read or put what is ours. */
export class UnsafeFolder extends Error {}

/** The temporary folder is everyone's: a folder there is ours only when we own it, and nobody else gets in. */
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

/** Engines, workspaces, raw output, databases. LLM_TOOL_TEST_HOME overrides. */
const stateHome = (): string => usableFolder('state');

/** Executables. LLM_TOOL_TEST_CACHE overrides. */
export const cacheHome = (): string => usableFolder('cache');

/** Where these two are or will be, for those who only look: nothing is made. */
export const plannedHomes = (): { state: string; cache: string } => ({
  state: usableFolder('state', wouldBeUsable),
  cache: usableFolder('cache', wouldBeUsable),
});

/** `path` without symlinks, also where its last parts do not exist yet. */
export function canonical(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(canonical(parent), full.slice(parent.length));
  }
}

/** The private folder of one results folder's engine: `<state>/<id>`, and the id that also names its task queue. */
export function projectState(resultsPath: string, home = stateHome()): { id: string; folder: string } {
  const id = sha256(canonical(resultsPath)).slice(0, 12);
  return { id, folder: join(home, id) };
}
