import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync, type Stats } from 'node:fs';
import { systemFailure } from '../lib/system-failure.js';

/** What is at a path, symlinks followed; null where nothing is, or nobody can tell. */
function infoOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Whether a path names a file, symlinks followed. */
export const isFile = (path: string): boolean => infoOf(path)?.isFile() === true;

/** Whether a path names a folder, symlinks followed. */
export const isFolder = (path: string): boolean => infoOf(path)?.isDirectory() === true;

/** A text of the user's, or why and where it cannot be read; lines and columns count from 1. */
export type UserText =
  { ok: true; text: string } | { ok: false; reason: string; line: number; column: number };

/** Reads a text of the user's. What is no regular file is not opened: a FIFO would be waited for. */
export function loadText(path: string): UserText {
  try {
    if (!statSync(path).isFile()) return unreadable('not a regular file');
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? { ok: true, text: String(bytes) } : notUtf8(bytes);
  } catch (error) {
    return unreadable(systemFailure(error) ?? (error as Error).message);
  }
}

/** The text of a file of the user's, or null when it cannot be read. */
export function readText(path: string): string | null {
  const loaded = loadText(path);
  return loaded.ok ? loaded.text : null;
}

const unreadable = (reason: string, line = 1, column = 1): UserText => ({ ok: false, reason, line, column });

/** At the first byte that is not UTF-8. */
function notUtf8(bytes: Buffer): UserText {
  const back = Buffer.from(String(bytes));
  const at = bytes.findIndex((byte, index) => byte !== back[index]);
  const before = String(bytes.subarray(0, at));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return unreadable('not UTF-8 here; save the file as UTF-8', line, column);
}
