import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { sha256 } from '../../src/lib/hash.js';
import { cacheHome } from '../../src/platform/folders.js';
import { tryLock } from '../../src/platform/process/process-lock.js';
import { waitUntil } from '../../src/platform/process/wait-until.js';

/** The package of the real ElizaOS, with its lockfile. */
const PACKAGE = join(import.meta.dirname, 'eliza-runtime');
const INSTALL_MS = 10 * 60_000;
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund'];

/** The `node_modules` with the real ElizaOS, in the cache folder. */
export async function provideEliza(): Promise<string> {
  const lockfile = readFileSync(join(PACKAGE, 'package-lock.json'), 'utf8');
  const folder = await installOnce(`eliza-${sha256(lockfile).slice(0, 8)}`, async (into) => {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(PACKAGE, file), join(into, file));
    // bun, which nothing needs here, is among the optional ones
    await npm(['ci', '--omit=optional'], into);
  });
  return join(folder, 'node_modules');
}

/** A Node of version 24, in the cache folder. */
export async function provideNode24(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await installOnce('node-24', (into) => npm(['install', '--no-save', `${name}@24`], into));
  return join(folder, 'node_modules', name, 'bin', 'node');
}

const npm = async (args: string[], folder: string): Promise<void> => {
  await execa('npm', [...args, ...QUIET], { cwd: folder, timeout: INSTALL_MS });
};

/** Installs under a temporary name first, so that the final folder is always complete. */
async function installOnce(name: string, install: (into: string) => Promise<void>): Promise<string> {
  const cache = join(cacheHome(), 'agents');
  const target = join(cache, name);
  await mkdir(cache, { recursive: true });
  const lock = await waitUntil(() => tryLock(cache, name), INSTALL_MS, 500);
  if (lock === null) throw new Error(`waited in vain for another process that installs ${name}`);
  try {
    if (existsSync(target)) return target;
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
