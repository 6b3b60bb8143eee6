import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { nearestExisting, writeFileAtomic } from '#host';
import type { StartRequest } from './environment.js';

/**
 * A symlink that an earlier start of the agent has left is where we need a folder. Another attempt would find it too.
 */
export class SymlinkInTheWay extends Error {}

/**
 * Writes our own files below a run's root, before a start of the agent. An earlier start may have left anything there:
 * if a symlink leads elsewhere, nothing is written.
 * @throws SymlinkInTheWay
 */
export async function writeOwnFiles(root: string, files: StartRequest['files']): Promise<void> {
  for (const { path, content, base64, executable } of files) {
    await makeOwnFolder(root, dirname(path));
    const data = base64 === true ? Buffer.from(content, 'base64') : content;
    await writeFileAtomic(path, data, executable === true ? 0o700 : 0o600);
  }
}

async function makeOwnFolder(root: string, folder: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const existing = nearestExisting(folder);
  const own = join(await realpath(root), relative(root, existing));
  if ((await realpath(existing)) !== own)
    throw new SymlinkInTheWay(`a symlink created by the agent blocks its settings: ${relative(root, existing)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
