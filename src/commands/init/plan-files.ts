import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageFile } from '#host';
import { findInstalledSchemas, schemaPath } from '../shared/find-schemas.js';
import type { NewFile } from '../shared/new-files.js';

/** Where schemas for editors are copied if the package is not installed in the project (`npx`, a global install). */
const COPIED = '.llm-tool-test';
const SCHEMA_LINE = /^(# yaml-language-server: \$schema=|#:schema )\S*\/(\w+\.schema\.json)$/m;

/** Files of the package to copy: where they are, which of them, and the folder that gets them. */
export interface Source {
  from: string;
  /** Files and folders; all if absent. */
  paths?: readonly string[];
  to: string;
}

/** Returns the files for `init` to create in a folder. Writes nothing, and only looks for `node_modules` there. */
export function planFiles(folder: string, sources: readonly Source[]): NewFile[] {
  const installed = findInstalledSchemas(folder);
  const schemas = installed ?? join(folder, COPIED);
  const named = new Set<string>();
  const files = sources.flatMap(filesOf).map(({ file, path }): NewFile => {
    const content = readFileSync(file, 'utf8').replace(SCHEMA_LINE, (_, before: string, name: string) => {
      named.add(name);
      return before + schemaPath(dirname(join(folder, path)), join(schemas, name));
    });
    return { path, content, mode: (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755 };
  });
  if (installed !== null) return files;
  // another example or `init` may have copied them already
  const copies = [...named]
    .filter((name) => !existsSync(join(folder, COPIED, name)))
    .map((name) => ({
      path: join(COPIED, name),
      content: readFileSync(packageFile(`schema/${name}`), 'utf8'),
      mode: 0o644,
    }));
  return [...files, ...copies];
}

const filesOf = ({ from, paths = [''], to }: Source): { file: string; path: string }[] =>
  paths
    .flatMap((path) => filesBelow(join(from, path)))
    .sort()
    .map((file) => ({ file, path: join(to, relative(from, file)) }));

const filesBelow = (path: string): string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
