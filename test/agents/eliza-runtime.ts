import { cp } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/lib/hash.js';
import { installer, installOnce } from './install-once.js';

/** The package of the real ElizaOS, with its lockfile. */
const PACKAGE = join(import.meta.dirname, 'eliza-runtime');
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund'];

/** The `node_modules` with the real ElizaOS, in the cache folder. */
export async function provideEliza(): Promise<string> {
  const lockfile = readFileSync(join(PACKAGE, 'package-lock.json'), 'utf8');
  const folder = await installOnce(`eliza-${sha256(lockfile).slice(0, 8)}`, async (into) => {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(PACKAGE, file), join(into, file));
    // `bun`, which nothing needs here, is among the optional ones.
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

const npm = (args: string[], folder: string): Promise<void> => installer('npm', [...args, ...QUIET], { cwd: folder });
