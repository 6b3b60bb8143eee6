import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { sha256 } from '../../lib/hash.js';
import { fingerprint } from './fingerprint.js';
import { findExecutable } from '../process/find-executable.js';
import { packagesOf, sourceFiles, TooMuch, type SourceFile } from './source-files.js';

/** What a program consists of. `fingerprint` differs where any of it does. */
export interface ProgramFiles {
  fingerprint: string | null;
  /** Why there may be more to it than the fingerprint covers; null where all of it is known. */
  unknown: string | null;
}

export interface ProgramPlace {
  /** Files and folders that are declared to be all of it, besides the program; null where nothing is declared. */
  declared: readonly string[] | null;
  /** A folder that is all that a program in it has, such as a workspace; null where there is none. */
  whole: string | null;
  /** Paths that are no part of a program wherever they are: results, state, caches. */
  passOver: readonly string[];
  /** Where interpreters are looked for. */
  path: string;
}

const REMEDY = 'list its files in target.files ([] for the program alone)';

/**
 * What a program consists of: what is declared, else its package, else the file alone where that is a binary. A script
 * outside a package may load any file beside it: that is not known.
 */
export async function programFiles(program: string, place: ProgramPlace): Promise<ProgramFiles> {
  const own = await fingerprint(program);
  if (own === null) return { fingerprint: null, unknown: `${program} cannot be read` };
  const passOver = place.passOver.map(realPath);
  const interpreter = await interpreterOf(program, place.path);
  const of = async (roots: readonly string[]): Promise<ProgramFiles> => {
    const files: SourceFile[] = [];
    for (const root of roots) files.push(...(await sourceFiles(root, passOver)));
    if (files.length === 0 && interpreter === null) return { fingerprint: own, unknown: null };
    return { fingerprint: sha256(JSON.stringify([own, interpreter, files])), unknown: null };
  };
  try {
    if (place.declared !== null) return await of(place.declared);
    if (place.whole !== null && program.startsWith(`${place.whole}/`)) return await of([place.whole]);
    if (isBinary(program)) return await of([]);
    const packages = await packagesOf(program, ['/', homedir(), tmpdir()]);
    if (packages.length > 0) return await of(packages);
    return { fingerprint: own, unknown: `${program} is a script outside a package: ${REMEDY}` };
  } catch (error) {
    if (error instanceof TooMuch) return { fingerprint: own, unknown: `${error.message}: ${REMEDY}` };
    throw error;
  }
}

/** Of what is not there, the path as given. Synchronous: by way of the thread pool it would cost ten times as much. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** ELF, Mach-O (also for several processors), PE, WebAssembly. */
const MAGIC = new Set(['7f454c46', 'cffaedfe', 'cefaedfe', 'feedfacf', 'cafebabe', '0061736d']);

function isBinary(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(4);
    const magic = start.toString('hex', 0, readSync(descriptor, start, 0, 4, 0));
    return MAGIC.has(magic) || magic.startsWith('4d5a');
  } finally {
    closeSync(descriptor);
  }
}

/** What the first line of a script names, by content; null for what is no script. */
async function interpreterOf(program: string, path: string): Promise<string | null> {
  if (isBinary(program)) return null;
  const [line = ''] = (await readFile(program, 'utf8')).split('\n', 1);
  if (!line.startsWith('#!')) return null;
  const words = line.slice(2).trim().split(/\s+/);
  const viaEnv = words[0]?.endsWith('/env') === true;
  const name = viaEnv
    ? words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='))
    : words[0];
  const found = await findExecutable(name ?? '', path);
  return found === null ? null : fingerprint(await realpath(found));
}
