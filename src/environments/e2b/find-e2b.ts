import { pathToFileURL } from 'node:url';
import { findPackage, packageFile } from '#host';

/** The package `e2b`, an optional peer dependency. */
export type E2b = typeof import('e2b');

/** The major version that this program knows. */
const MAJOR = '2';
const INSTALL = `npm install e2b@${MAJOR}`;

/**
 * Finds the package `e2b` from the given folders and from this program, without loading it. `folders` are the project's;
 * null where there is none.
 */
export function findE2b(
  folders: readonly (string | null)[],
): { module: string; why: null } | { module: null; why: string } {
  const found = findPackage('e2b', [...folders.filter((folder) => folder !== null), packageFile('.')]);
  if (found === null)
    return { module: null, why: `the package e2b is not installed; install it with ${INSTALL}` };
  if (found.version.split('.')[0] === MAJOR) return { module: found.module, why: null };
  return {
    module: null,
    why: `version ${found.version} of the package e2b is not supported; install another with ${INSTALL}`,
  };
}

/** Loads the package. Only runs in its sandboxes do. */
export const loadE2b = async (module: string): Promise<E2b> =>
  (await import(pathToFileURL(module).href)) as E2b;
