import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { readTextIfThere } from '../fs/read-file.js';
import { waitUntil } from './wait-until.js';
import { publishOnce, writeFileAtomic } from '../fs/write-file.js';

/**
 * A lock between processes that survives SIGKILL of its holder: `<name>.lock.<generation>` holds the holder's identity.
 * The highest generation counts. A dead or released holder is succeeded by publishing the next generation, which only
 * one process can do; the highest file is never removed.
 */
export interface Lock {
  release(): Promise<void>;
}

type Held = ProcessIdentity | 'released';

async function latest(folder: string, name: string): Promise<{ generation: number; held: Held } | null> {
  const prefix = `${name}.lock.`;
  const generations = (await readdir(folder))
    .filter((file) => file.startsWith(prefix) && /^\d+$/.test(file.slice(prefix.length)))
    .map((file) => Number(file.slice(prefix.length)));
  if (generations.length === 0) return null;
  const generation = Math.max(...generations);
  const text = await readTextIfThere(join(folder, prefix + String(generation)));
  // Gone in between: a successor has removed it, look again.
  return text === null ? latest(folder, name) : { generation, held: JSON.parse(text) as Held };
}

/** The live holder of a lock, or null. */
export async function lockHolder(folder: string, name: string): Promise<ProcessIdentity | null> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const last = await latest(folder, name);
  return last !== null && last.held !== 'released' && isAlive(last.held) ? last.held : null;
}

/** Takes the lock, or returns null at once when a live process holds it. */
export async function tryLock(folder: string, name: string): Promise<Lock | null> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const last = await latest(folder, name);
  if (last !== null && last.held !== 'released' && isAlive(last.held)) return null;
  const generation = (last?.generation ?? 0) + 1;
  const path = join(folder, `${name}.lock.${generation}`);
  if (!(await publishOnce(path, JSON.stringify(ownIdentity())))) return null;
  // Who is slow may get a number that others have held, left and cleared away since the look: theirs are higher.
  if ((await latest(folder, name))?.generation !== generation) {
    await rm(path, { force: true });
    return null;
  }
  if (last !== null) await rm(join(folder, `${name}.lock.${last.generation}`), { force: true });
  return { release: () => writeFileAtomic(path, JSON.stringify('released')) };
}

interface Patience {
  timeoutMs: number;
  /** Called once, where another process holds the lock. */
  onWait: () => void;
  signal?: AbortSignal | undefined;
}

/** Takes the lock when its holder leaves it; null when that does not happen in time. Throws when the signal comes. */
export async function waitForLock(
  folder: string,
  name: string,
  { timeoutMs, onWait, signal }: Patience,
): Promise<Lock | null> {
  const lock = await tryLock(folder, name);
  if (lock !== null) return lock;
  onWait();
  return waitUntil(
    () => {
      signal?.throwIfAborted();
      return tryLock(folder, name);
    },
    timeoutMs,
    100,
  );
}
