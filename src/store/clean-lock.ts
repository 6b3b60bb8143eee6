import { existsSync } from 'node:fs';
import { lockHolder, tryLock, type Lock } from '../platform/process/process-lock.js';
import { waitUntil } from '../platform/process/wait-until.js';
import { cleanFolder } from './results-folder.js';

/*
 * `clean` beside commands and workers that write: it announces itself by a lock before it looks at the folder, and ends
 * the announcement when nothing more goes. Whoever has written something waits until no `clean` is at work, and looks
 * whether it is still there. So either `clean` has seen what was written, or the writer sees what `clean` has done; nobody
 * holds a lock in order to write, and a killed `clean` holds nothing up.
 */
const NAME = 'clean';
/** It moves folders and deletes nothing while it holds the lock: longer than that takes with very many runs. */
const WAIT_MS = 60_000;
const LOOK_MS = 20;

/** Announces that something will be removed; null when another `clean` does not come to its end. */
export const announceClean = (results: string): Promise<Lock | null> =>
  waitUntil(() => tryLock(cleanFolder(results), NAME), WAIT_MS, LOOK_MS);

/** Resolves when no `clean` is at work. @throws when one does not come to its end. */
export async function cleanIsOver(results: string): Promise<void> {
  // Where nobody has ever cleaned there is nothing to ask, and nothing is created.
  const isOver = async (): Promise<true | null> =>
    !existsSync(cleanFolder(results)) || (await lockHolder(cleanFolder(results), NAME)) === null
      ? true
      : null;
  if ((await waitUntil(isOver, WAIT_MS, LOOK_MS)) === null)
    throw new Error(`a \`clean\` has been running in ${results} for a minute; stop it if it hangs`);
}
