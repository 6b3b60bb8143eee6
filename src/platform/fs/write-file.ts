import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { namingFull } from '../../lib/disk-failure.js';

/*
 * What is written here is small, and there is much of it: each call takes microseconds, and ten times as much by way of
 * the thread pool. Only the wait for the disk is left to that.
 */
const syncData = promisify(fdatasync);

/** Names of temporary files and folders, with the pid of who writes them; who is killed leaves its half. */
export const TEMPORARY = /\.(\d+)-[0-9a-f]{8}\.tmp$/;

/** A name beside `path` under which it is written, or filled, before it takes its place. */
export const temporaryName = (path: string): string =>
  `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;

async function writeTemporary(path: string, data: string | Uint8Array, mode: number): Promise<string> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'wx', mode);
  try {
    writeFileSync(file, data);
    await syncData(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw namingFull(error, path);
  } finally {
    closeSync(file);
  }
  return temporary;
}

/** Writes a file so that readers see the old content or the new, never a part. Creates the folder. */
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
 * Publishes a file that may exist only once, whole. Returns false, and changes nothing, when someone was first.
 * `link()` is the one POSIX call that creates a complete file exclusively.
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

/** Gives a file a second name. Returns false, and changes nothing, when there is something of that name. */
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
 * Writes a note that is worth something only while this machine is up: the disk is not waited for. After a loss of power it
 * may be empty.
 */
export function writeNote(path: string, data: string): void {
  renameSync(writeTemporaryNote(path, data), path);
}

/** Such a note, unless there is one. */
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
    throw namingFull(error, path);
  }
  return temporary;
}
