import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of this package, by its path from the package's root. */
export const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const packageVersion = packageJson.version;

/** Names the code that runs: made at build time from all compiled files. "source" when run without a build. */
export function buildId(): string {
  try {
    return readFileSync(new URL('../build-id', import.meta.url), 'utf8').trim();
  } catch {
    return 'source';
  }
}
