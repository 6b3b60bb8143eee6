import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseJson } from '#lib';

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
