import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/**
 * Imports a module of this repository that imports TypeScript. Bundles it into a temporary file in the same folder, so
 * that packages and relative paths resolve as in the module.
 * @param {string} path
 */
export async function importBundled(path) {
  const file = `${path}.${process.pid}.mjs`;
  try {
    await build({
      input: path,
      platform: 'node',
      external: /^[^./#]/,
      output: { file, codeSplitting: false },
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
  }
}
