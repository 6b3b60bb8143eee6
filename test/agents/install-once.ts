import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheHome } from '../../src/host/folders.js';
import { tryLock } from '../../src/host/process/process-lock.js';
import { waitUntil } from '../../src/host/process/waiting.js';

/** Real agents have several hundred megabytes, and registries may be slow. */
const INSTALL_MS = 10 * 60_000;

/** Runs a program that installs something. */
export const installer = async (
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> => {
  await execa(program, args, { ...options, timeout: INSTALL_MS });
};

/** The folder of this name in the cache, which `install` fills once; concurrent callers wait for that. */
export async function installOnce(name: string, install: (into: string) => Promise<void>): Promise<string> {
  const cache = join(cacheHome(), 'agents');
  const target = join(cache, name);
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  const lock = await waitUntil(() => tryLock(cache, name), INSTALL_MS, 500);
  if (lock === null) throw new Error(`waited in vain for another process that installs ${name}`);
  try {
    if (existsSync(target)) return target;
    // Under a temporary name first, so that the final folder is always complete.
    const folder = await mkdtemp(`${target}.`);
    try {
      await install(folder);
      await rename(folder, target);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return target;
  } finally {
    await lock.release();
  }
}
