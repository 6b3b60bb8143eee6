import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { findExecutable } from './find-executable.js';

/** Deno's executable: on `path`, or from npm for the project that `folder` (null: none) is in, or beside this package; null where there is none. */
export async function findDeno(folder: string | null, path = process.env['PATH']): Promise<string | null> {
  const onPath = await findExecutable('deno', path);
  return (
    (onPath === null ? null : withoutWrapper(onPath)) ??
    (folder === null ? null : fromNpm(join(folder, 'package.json'))) ??
    fromNpm(import.meta.url)
  );
}

/**
 * npm's command `deno` is a Node program that starts Deno, where install scripts are off: `npx` puts it on PATH. Whoever kills
 * the program leaves Deno running.
 */
function withoutWrapper(found: string): string {
  const file = realpathSync(found);
  return basename(file) === 'bin.cjs' ? (fromNpm(file) ?? found) : found;
}

/** The executable itself: the package's own command takes five times as long. */
function fromNpm(from: string): string | null {
  try {
    const require = createRequire(from);
    const manifest = require.resolve('deno/package.json');
    const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> };
    // npm has installed the one of them that is for this machine.
    const builds = Object.keys(optionalDependencies).flatMap((name) =>
      resolved(createRequire(manifest), name),
    );
    const files = [dirname(manifest), ...builds].map((found) => join(found, 'deno'));
    return files.find((file) => existsSync(file)) ?? null;
  } catch {
    return null; // there is no such package, or not one like this
  }
}

function resolved(require: NodeJS.Require, name: string): string[] {
  try {
    return [dirname(require.resolve(`${name}/package.json`))];
  } catch {
    return [];
  }
}
