import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findExecutable } from './find-executable.js';

/** Deno's executable: on `path`, or from npm for the project that `folder` (null: none) is in, or beside this package; null where there is none. */
export async function findDeno(folder: string | null, path = process.env['PATH']): Promise<string | null> {
  return (
    (await findExecutable('deno', path)) ??
    (folder === null ? null : fromNpm(join(folder, 'package.json'))) ??
    fromNpm(import.meta.url)
  );
}

/** The executable itself: the package's own command is a Node program that starts it, and takes five times as long. */
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
