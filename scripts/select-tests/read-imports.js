import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Returns the modules of this repository that each of these modules imports, types included: paths from `root`.
 * @param {string} root
 * @param {readonly string[]} modules
 * @returns {Map<string, string[]>}
 */
export const readImports = (root, modules) =>
  new Map(
    modules.map((module) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, module), 'utf8'));
      const imported = importedFiles.map(({ fileName }) => sourceOf(root, join(module, '..', fileName)));
      return [module, imported.filter((path) => path !== null)];
    }),
  );

/** @param {string} root @param {string} path @returns {string | null} */
function sourceOf(root, path) {
  const stem = path.replace(/\.js$/, '');
  return [`${stem}.ts`, `${stem}.tsx`, path].find((one) => existsSync(join(root, one))) ?? null;
}
