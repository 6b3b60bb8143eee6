import { randomBytes } from 'node:crypto';
import { closeSync, fdatasync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { addPathToFullDiskError } from '#lib';

/*
 * The files written here are small and many. A synchronous call takes microseconds, and ten times as long in the thread
 * pool. Only waiting for the disk is left to the pool.
 */
const syncData = promisify(fdatasync);

/** Matches the names of temporary files and folders, with the pid of the writer. A killed writer leaves them behind. */
export const TEMPORARY = /\.(\d+)-[0-9a-f]{8}\.tmp$/;

/** Returns a name beside `path` under which it is written, or filled, before it is renamed. */
export const temporaryName = (path: string): string => `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;

async function writeTemporary(path: string, data: string | Uint8Array, mode: number): Promise<string> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(file, data);
    await syncData(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw addPathToFullDiskError(error, path);
  } finally {
    closeSync(file);
  }
  return temporary;
}

/** Writes a file atomically: readers see either the old or the new content. Creates the folder. */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporary = await writeTemporary(path, data, mode);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates a complete file, unless it exists. Returns false, and changes nothing, if it does.
 * `link()` is the only POSIX call that creates a complete file exclusively.
 */
export const publishOnce = async (path: string, data: string, mode = 0o644): Promise<boolean> =>
  linkOnce(await writeTemporary(path, data, mode), path);

function linkOnce(temporary: string, path: string): boolean {
  try {
    return linkUnlessThere(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Gives a file a second name. Returns false, and changes nothing, if that name is taken. */
export function linkUnlessThere(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Writes a note that matters only while this machine is running, without waiting for the disk. After a power failure
 * the note may be empty.
 */
export function writeNote(path: string, data: string): void {
  renameSync(writeTemporaryNote(path, data), path);
}

/** Writes such a note, unless it exists. */
export function writeOnce(path: string, data: string): void {
  linkOnce(writeTemporaryNote(path, data), path);
}

function writeTemporaryNote(path: string, data: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    rmSync(temporary, { force: true });
    throw addPathToFullDiskError(error, path);
  }
  return temporary;
}
