import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the nearest folder above with a package.json. Source files are nested more deeply than built ones. */
const packageAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : packageAbove(dirname(folder));
const root = packageAbove(import.meta.dirname);

/**
 * Returns the path of a file or folder of this package (`dist/templates/init`), wherever the calling code was bundled to.
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
