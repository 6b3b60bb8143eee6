import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isFile } from './file-checks.js';

/** The path is null for a name that is looked for on PATH when the run starts, and for a path into the fixture. */
type Located = { found: true; path: string | null } | { found: false; message: string };

/** The target as a scenario or the config names it. A relative path is meant from where it is written. */
export function locateTarget(binary: string, from: string, fixture: string): Located {
  if (!binary.includes('/')) return { found: true, path: null };
  const inFixture = [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, binary)));
  if (!isAbsolute(binary) && inFixture) return { found: true, path: null };
  const path = resolve(from, binary);
  if (isFile(path)) return { found: true, path };
  return {
    found: false,
    message: `target binary '${binary}' was not found in the fixture or from ${from}; build it, or correct the path`,
  };
}

/**
 * The build that `--target-binary`, or a variant, puts in the target's place, under the target's own name; never the fixture's
 * copy. A relative path is meant from the folder `from`.
 */
export function locateBuild(binary: string, from: string, said = binary): Located {
  const folders = binary.includes('/') ? [from] : (process.env['PATH'] ?? '').split(delimiter);
  const path = folders.map((folder) => resolve(folder, binary)).find(isFile);
  if (path !== undefined) return { found: true, path };
  return {
    found: false,
    message: `${said} was not found ${binary.includes('/') ? `from ${from}` : 'on PATH'}`,
  };
}
