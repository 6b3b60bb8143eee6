import { existsSync } from 'node:fs';
import { type Lock, lockHolder, tryLock, waitUntil } from '#host';
import { cleanFolder } from './results-folder.js';

/*
 * How `clean` works next to commands and workers that write. `clean` takes a lock before it looks at the folder, and
 * releases it once it removes nothing more. A process that has written something waits until no `clean` holds the lock,
 * and then checks whether what it wrote is still there. So either `clean` has seen what was written, or the writer sees
 * what `clean` has done. Writers hold no lock, and a killed `clean` blocks nobody.
 */
const NAME = 'clean';
/**
 * While `clean` holds the lock, it only moves folders and deletes nothing. This is longer than it needs with very many
 * runs.
 */
const WAIT_MS = 60_000;
const LOOK_MS = 20;

/** Takes the lock that announces a `clean`. Returns null if another `clean` does not finish within WAIT_MS. */
export const announceClean = (results: string): Promise<Lock | null> =>
  waitUntil(() => tryLock(cleanFolder(results), NAME), WAIT_MS, LOOK_MS);

/** Waits until no `clean` holds the lock. @throws Error if one does not finish within WAIT_MS */
export async function cleanIsOver(results: string): Promise<void> {
  // If no `clean` ever ran here, there is nothing to check, and nothing is created.
  const isOver = async (): Promise<true | null> =>
    !existsSync(cleanFolder(results)) || (await lockHolder(cleanFolder(results), NAME)) === null
      ? true
      : null;
  if ((await waitUntil(isOver, WAIT_MS, LOOK_MS)) === null)
    throw new Error(`a \`clean\` has been running in ${results} for a minute; stop it if it hangs`);
}
