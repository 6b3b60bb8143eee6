import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { sha256 } from '#lib';
import { fingerprint } from './fingerprint.js';
import { findExecutable } from '../process/find-deno.js';
import { packagesOf, sourceFiles, TooManyFiles, type SourceFile } from './source-files.js';

/** Identifies the files of a program. `fingerprint` changes with any of them. */
export interface ProgramFiles {
  fingerprint: string | null;
  /** The reason why the program may have more files than the fingerprint covers; null if all of them are known. */
  unknown: string | null;
}

export interface ProgramPlace {
  /** All other files and folders that the target declares; null if undeclared. */
  declared: readonly string[] | null;
  /** A folder, such as a workspace, that contains all files of the programs in it; null if there is none. */
  whole: string | null;
  /** Paths that never belong to a program: results, state, caches. */
  passOver: readonly string[];
  /** The PATH on which interpreters are found. */
  path: string;
}

const REMEDY = 'list its files in target.files ([] for the program alone)';

/**
 * Determines the files of a program: the declared ones, else those of the folder `whole`, else the file alone if it is
 * a binary, else its package. A script outside a package may load any file beside it, so its files are unknown.
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
    if (error instanceof TooManyFiles) return { fingerprint: own, unknown: `${error.message}: ${REMEDY}` };
    throw error;
  }
}

/** Returns a missing path as given. Synchronous, because the thread pool would take ten times as long. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The first four bytes of ELF, Mach-O (universal binaries too) and WebAssembly. PE has only two. */
const MAGIC = new Set(['7f454c46', 'cffaedfe', 'cefaedfe', 'feedfacf', 'cafebabe', '0061736d']);

/** True if a file is a program by itself, rather than a script. */
export function isBinary(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(4);
    const magic = start.toString('hex', 0, readSync(descriptor, start, 0, 4, 0));
    return MAGIC.has(magic) || magic.startsWith('4d5a');
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the fingerprint of the interpreter in a script's first line; null if there is none. */
async function interpreterOf(program: string, path: string): Promise<string | null> {
  if (isBinary(program)) return null;
  const [line = ''] = (await readFile(program, 'utf8')).split('\n', 1);
  if (!line.startsWith('#!')) return null;
  const words = line.slice(2).trim().split(/\s+/);
  const viaEnv = words[0]?.endsWith('/env') === true;
  const name = viaEnv ? words.slice(1).find((word) => !word.startsWith('-') && !word.includes('=')) : words[0];
  const found = findExecutable(name ?? '', path);
  return found === null ? null : fingerprint(await realpath(found));
}
