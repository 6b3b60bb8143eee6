import { randomBytes } from 'node:crypto';
import { systemFailure, UsageError } from '#lib';
import type { SharedStore } from './shared-store.js';

/** Number of simultaneous attempts to create the same object. */
const ATTEMPTS = 8;

/**
 * Checks that a shared place can be reached and written, and that of several attempts to create the same object exactly
 * one succeeds. Without that, a cell could have two results.
 *
 * @throws UsageError that says what is wrong and what to do about it
 */
export async function probeStore(store: SharedStore): Promise<void> {
  const name = `.shared/probe/${randomBytes(8).toString('hex')}`;
  try {
    const attempts = Array.from({ length: ATTEMPTS }, (_, attempt) => `attempt ${attempt}`);
    const created = await Promise.all(attempts.map((text) => store.putOnce(name, text)));
    const again = await store.putOnce(name, 'late');
    const stored = (await store.get(name))?.toString();
    if (created.filter(Boolean).length !== 1 || again || stored !== attempts[created.indexOf(true)])
      throw new UsageError(
        'results_unwritable',
        `${store.location} cannot hold shared results: it lets several writers create the same object; use a server that honours \`If-None-Match: *\`, or a folder on a file system with hard links`,
      );
    await store.remove(name);
  } catch (error) {
    throw explained(error, store.location);
  }
}

/** Returns an error that names a shared place that cannot be used, why, and what to do about it. */
function explained(error: unknown, location: string): Error {
  if (error instanceof UsageError) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const why =
    syscall === 'mkdir' && (code === 'EEXIST' || code === 'ENOTDIR')
      ? 'it is not a folder; choose another place'
      : syscall === 'link' && code !== 'EACCES'
        ? `its file system has no hard links (${code}); choose a folder on another file system`
        : (systemFailure(error) ?? message);
  return new UsageError('results_unwritable', `cannot share results at ${location}: ${why}`);
}
