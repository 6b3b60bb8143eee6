import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync, type Stats } from 'node:fs';
import { systemFailure } from '../lib/errors/system-failure.js';

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
export type UserText =
  { ok: true; text: string } | { ok: false; reason: string; line: number; column: number };

/** Reads a user's file. Only opens regular files, because opening a FIFO would block. Never throws. */
export function loadText(path: string): UserText {
  try {
    if (!statSync(path).isFile()) return unreadable('not a regular file');
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
