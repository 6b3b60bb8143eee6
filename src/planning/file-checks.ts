import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { systemFailure } from '#lib';
import type { LookBeside } from '#scenario';

/** Stats a path, following symlinks. Null if nothing is there, or on any error. */
function infoOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** True if a path names a file. Follows symlinks. */
export const isFile = (path: string): boolean => infoOf(path)?.isFile() === true;

/** True if a path names a folder. Follows symlinks. */
export const isFolder = (path: string): boolean => infoOf(path)?.isDirectory() === true;

/** The text of a user's file, or why and where it cannot be read. Lines and columns start at 1. */
export type UserText = { ok: true; text: string } | { ok: false; reason: string; line: number; column: number };

/** The config of a project, in its folder. */
export const CONFIG_FILE = 'llm-tool-test-config.toml';

const OUTSIDE = 'it is a symlink to a file outside of the project, whose text must not be shown; copy that file here';

/**
 * True for a symlink to a file outside of its project: the nearest folder above with a repository, else with a config.
 * What a message quotes of a file may end up in public logs.
 */
function leadsOutside(path: string): boolean {
  const folder = realpathSync(dirname(path));
  const target = realpathSync(path);
  if (target === join(folder, basename(path))) return false;
  const above = [folder];
  for (let one = folder; one !== dirname(one); one = dirname(one)) above.push(dirname(one));
  const root =
    above.find((one) => existsSync(join(one, '.git'))) ??
    above.find((one) => existsSync(join(one, CONFIG_FILE))) ??
    folder;
  return relative(root, target).startsWith('..');
}

/** Reads a user's file. Only opens regular files, because opening a FIFO would block. Never throws. */
export function loadText(path: string): UserText {
  try {
    if (!statSync(path).isFile()) return unreadable('not a regular file');
    if (leadsOutside(path)) return unreadable(OUTSIDE);
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? { ok: true, text: String(bytes) } : notUtf8(bytes);
  } catch (error) {
    return unreadable(systemFailure(error) ?? (error as Error).message);
  }
}

/** Reads a user's file. Returns null if it cannot be read. */
export function readText(path: string): string | null {
  const loaded = loadText(path);
  return loaded.ok ? loaded.text : null;
}

/** Looks at paths beside a scenario file. */
export const lookBeside =
  (file: string): LookBeside =>
  (path) => {
    const full = join(dirname(file), path);
    if (isFolder(full)) return { kind: 'folder', names: readdirSync(full) };
    return isFile(full) ? { kind: 'file', text: readText(full) } : null;
  };

const unreadable = (reason: string, line = 1, column = 1): UserText => ({ ok: false, reason, line, column });

/** An error at the first byte that is not UTF-8. */
function notUtf8(bytes: Buffer): UserText {
  const back = Buffer.from(String(bytes));
  const at = bytes.findIndex((byte, index) => byte !== back[index]);
  const before = String(bytes.subarray(0, at));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return unreadable('not UTF-8 here; save the file as UTF-8', line, column);
}
