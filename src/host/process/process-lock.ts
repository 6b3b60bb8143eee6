import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { readTextIfThere } from '../fs/read-file.js';
import { waitUntil } from './waiting.js';
import { publishOnce, writeFileAtomic } from '../fs/write-file.js';

/**
 * A lock between processes that survives SIGKILL of its holder. `<name>.lock.<generation>` contains the holder's
 * identity, and the highest generation counts. A process succeeds a dead or released holder by publishing the next
 * generation, which only one process can do. The highest file is never removed.
 */
export interface Lock {
  release(): Promise<void>;
}

type LockHolder = ProcessIdentity | 'released';

async function latest(folder: string, name: string): Promise<{ generation: number; held: LockHolder } | null> {
  const prefix = `${name}.lock.`;
  const generations = (await readdir(folder))
    .filter((file) => file.startsWith(prefix) && /^\d+$/.test(file.slice(prefix.length)))
    .map((file) => Number(file.slice(prefix.length)));
  if (generations.length === 0) return null;
  const generation = Math.max(...generations);
  const text = await readTextIfThere(join(folder, prefix + String(generation)));
  // A successor has removed it in the meantime: look again.
  return text === null ? latest(folder, name) : { generation, held: JSON.parse(text) as LockHolder };
}

/** Returns the live holder of a lock, or null. */
export async function lockHolder(folder: string, name: string): Promise<ProcessIdentity | null> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const last = await latest(folder, name);
  return last !== null && last.held !== 'released' && isAlive(last.held) ? last.held : null;
}

/** Takes the lock. Returns null at once if a live process holds it, or another process is faster. */
export async function tryLock(folder: string, name: string): Promise<Lock | null> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const last = await latest(folder, name);
  if (last !== null && last.held !== 'released' && isAlive(last.held)) return null;
  const generation = (last?.generation ?? 0) + 1;
  const path = join(folder, `${name}.lock.${generation}`);
  if (!(await publishOnce(path, JSON.stringify(ownIdentity())))) return null;
  // A slow process may get a number that others have used and removed in the meantime; theirs are higher.
  if ((await latest(folder, name))?.generation !== generation) {
    await rm(path, { force: true });
    return null;
  }
  if (last !== null) await rm(join(folder, `${name}.lock.${last.generation}`), { force: true });
  return { release: () => writeFileAtomic(path, JSON.stringify('released')) };
}

interface Patience {
  timeoutMs: number;
  /** Called once, if another process holds the lock. */
  onWait: () => void;
  signal?: AbortSignal | undefined;
}

/** Waits for the lock. Returns null if its holder does not release it in time. Throws if the signal aborts. */
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
