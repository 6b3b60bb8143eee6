import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder above that is a package's: files lie deeper in the sources than in what is built of them. */
const packageAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : packageAbove(dirname(folder));
const root = packageAbove(import.meta.dirname);

/** Path of a file or folder of this package (`templates/init`), wherever the code that asks was bundled to. */
export const packageFile = (path: string): string => join(root, path);

const packageJson = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

export const packageVersion = packageJson.version;

/** Names the code that runs: made at build time of all that is built. "source" when run without a build. */
export function buildId(): string {
  try {
    return readFileSync(join(import.meta.dirname, 'build-id'), 'utf8').trim();
  } catch {
    return 'source';
  }
}
