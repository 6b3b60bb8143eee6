import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files and folders with one of these paths in a folder, or in any folder above it; absolute, nearest first. */
export function findAbove(folder: string, paths: readonly string[]): string[] {
  const here = paths.map((path) => join(folder, path)).filter((path) => existsSync(path));
  const above = dirname(folder);
  return above === folder ? here : [...here, ...findAbove(above, paths)];
}
