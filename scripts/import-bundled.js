import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/**
 * Imports a module of this repository that imports TypeScript, as it is now: bundled into a file beside it, from where
 * packages and paths are found as from the module itself.
 * @param {string} path
 */
export async function importBundled(path) {
  const file = `${path}.${process.pid}.mjs`;
  try {
    await build({
      input: path,
      platform: 'node',
      external: /^[^./]/,
      output: { file, codeSplitting: false },
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
