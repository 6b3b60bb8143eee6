import { existsSync, realpathSync, accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, delimiter } from 'node:path';
import { stat } from 'node:fs/promises';

/**
 * True if there is a file that we may execute. Folders can have that permission too, but do not count. Synchronous,
 * because most folders on a PATH do not have the file, and every run looks for its agent and its target.
 */
export function isExecutable(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the first file with this name on a PATH, executable or not, or null. */
export async function findFile(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && (await stat(file).catch(() => null))?.isFile() === true) return file;
  }
  return null;
}

/** Returns the first executable file with this name on a PATH, or null. A name with slashes is used as a path. */
export function findExecutable(name: string, path = process.env['PATH'] ?? ''): string | null {
  if (name.includes('/')) return isExecutable(name) ? name : null;
  for (const folder of path.split(delimiter)) {
    if (folder !== '' && isExecutable(join(folder, name))) return join(folder, name);
  }
  return null;
}

/**
 * Returns Deno's executable: from `path`, from the npm packages of the project that `folder` is in (null: no project),
 * or from those beside this package; null if there is none.
 */
export function findDeno(folder: string | null, path = process.env['PATH']): string | null {
  const onPath = findExecutable('deno', path);
  return (
    (onPath === null ? null : withoutWrapper(onPath)) ??
    (folder === null ? null : fromNpm(join(folder, 'package.json'))) ??
    fromNpm(import.meta.url)
  );
}

/**
 * If install scripts are off, npm's command `deno`, which `npx` puts on PATH, is a Node program that starts Deno.
 * Killing that program leaves Deno running, so this returns the executable that it starts.
 */
function withoutWrapper(found: string): string {
  const file = realpathSync(found);
  return basename(file) === 'bin.cjs' ? (fromNpm(file) ?? found) : found;
}

/** Returns the executable itself, because the command of the npm package takes five times as long. */
function fromNpm(from: string): string | null {
  try {
    const require = createRequire(from);
    const manifest = require.resolve('deno/package.json');
    const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> };
    // `npm` has installed only the build for this machine.
    const builds = Object.keys(optionalDependencies).flatMap((name) => resolved(createRequire(manifest), name));
    const files = [dirname(manifest), ...builds].map((found) => join(found, 'deno'));
    return files.find((file) => existsSync(file)) ?? null;
  } catch {
    return null; // there is no such package, or it has another form
  }
}

function resolved(require: NodeJS.Require, name: string): string[] {
  try {
    return [dirname(require.resolve(`${name}/package.json`))];
  } catch {
    return [];
  }
}
