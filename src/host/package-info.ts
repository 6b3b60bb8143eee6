import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, basename } from 'node:path';
import { parseJson } from '#lib';

/** Returns the nearest folder above with a package.json. Source files are nested more deeply than built ones. */
const packageAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : packageAbove(dirname(folder));
const root = packageAbove(import.meta.dirname);

/**
 * Returns the path of a file or folder of this package (`dist/templates/init`), wherever the calling code was bundled
 * to.
 */
export const packageFile = (path: string): string => join(root, path);

const packageJson = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

export const packageVersion = packageJson.version;

/** Returns the id of this build, which is made from everything that is built; "source" without a build. */
export function buildId(): string {
  try {
    return readFileSync(join(import.meta.dirname, 'build-id'), 'utf8').trim();
  } catch {
    return 'source';
  }
}

/** A package that is installed on this machine. */
export interface FoundPackage {
  version: string;
  /** Path of its module for `import`. */
  module: string;
}

interface PackageJson {
  version?: string;
  module?: string;
  main?: string;
}

/** Finds a package as Node would from each of the folders, in this order; null if none of them has it. */
export function findPackage(name: string, folders: readonly string[]): FoundPackage | null {
  for (const folder of folders) {
    const file = packageJsonFrom(name, folder);
    if (file === null) continue;
    const found = parseJson(readFileSync(file, 'utf8')) as PackageJson | undefined;
    if (found?.version !== undefined)
      return {
        version: found.version,
        module: join(dirname(file), found.module ?? found.main ?? 'index.js'),
      };
  }
  return null;
}

function packageJsonFrom(name: string, folder: string): string | null {
  const modules = basename(folder) === 'node_modules' ? folder : join(folder, 'node_modules');
  const file = join(modules, name, 'package.json');
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? null : packageJsonFrom(name, parent);
}
