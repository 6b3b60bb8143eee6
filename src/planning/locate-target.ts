import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isFile } from './file-checks.js';

/** `path` is null for a name that is looked up on PATH when the run starts, and for a path into the fixture. */
type Located = { found: true; path: string | null } | { found: false; message: string };

/** Locates the target that a scenario or the config names. A relative path is resolved from the folder `from`. */
export function locateTarget(binary: string, from: string, fixture: string | null): Located {
  if (!binary.includes('/')) return { found: true, path: null };
  const inFixture =
    fixture !== null &&
    [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, binary)));
  if (!isAbsolute(binary) && inFixture) return { found: true, path: null };
  const path = resolve(from, binary);
  if (isFile(path)) return { found: true, path };
  return {
    found: false,
    message: `target binary '${binary}' was not found in the fixture or from ${from}; build it, or correct the path`,
  };
}

/**
 * Locates the build that `--target-binary` or a variant names in place of the target. Never returns the fixture's copy.
 * A relative path is resolved from the folder `from`. `described` is how an error message names the build.
 */
export function locateBuild(binary: string, from: string, described = binary): Located {
  const folders = binary.includes('/') ? [from] : (process.env['PATH'] ?? '').split(delimiter);
  const path = folders.map((folder) => resolve(folder, binary)).find(isFile);
  if (path !== undefined) return { found: true, path };
  return {
    found: false,
    message: `${described} was not found ${binary.includes('/') ? `from ${from}` : 'on PATH'}`,
  };
}
