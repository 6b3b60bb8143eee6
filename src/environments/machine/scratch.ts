import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeTree, temporaryName } from '#host';
import type { EnvironmentHandle } from '../environment.js';

/**
 * Calls `use` with a folder on the host, which is removed afterwards, or by the run's clean-up if this process dies.
 */
export async function withScratch<T>(
  { journal }: EnvironmentHandle,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = temporaryName(join(dirname(journal), 'machine'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return await use(folder);
  } finally {
    await removeTree(folder);
  }
}
