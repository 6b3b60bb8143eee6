import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder below `base`, with the missing ones between them, but never `base` itself: if someone has moved it away, a new one
 * in its place would keep them from putting it back. Returns the folders that were created, from the outermost.
 *
 * One by one, because Node's recursive `mkdir` never returns below /proc.
 *
 * @throws Error with the code ENOENT if `base` does not exist
 */
export function createBelow(base: string, folder: string): string[] {
  if (folder === base || existsSync(folder)) return [];
  const created = createBelow(base, dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o755 });
    return [...created, folder];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return created;
  }
}
