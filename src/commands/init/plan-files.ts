import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { packageFile } from '../../platform/package-info.js';
import type { NewFile } from '../shared/new-files.js';

const INSTALLED = join('node_modules', 'llm-tool-test', 'schema');
/** Where schemas for editors are copied if the package is not installed in the project (`npx`, a global install). */
const COPIED = '.llm-tool-test';
const SCHEMA_LINE = /^(# yaml-language-server: \$schema=|#:schema )\S*\/(\w+\.schema\.json)$/m;

/** Returns the files of a template for `init` to create in a folder. Writes nothing, and only looks for `node_modules` there. */
export function planFiles(folder: string, template: string): NewFile[] {
  const templates = packageFile(`templates/${template}`);
  const installed = findInstalled(folder);
  const schemas = installed ?? join(folder, COPIED);
  const named = new Set<string>();
  const files = filesBelow(templates).map((file): NewFile => {
    const path = relative(templates, file);
    const content = readFileSync(file, 'utf8').replace(SCHEMA_LINE, (_, before: string, name: string) => {
      named.add(name);
      const relativePath = relative(dirname(join(folder, path)), join(schemas, name));
      return `${before}${relativePath.startsWith('.') ? relativePath : `./${relativePath}`}`;
    });
    return { path, content, mode: (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755 };
  });
  if (installed !== null) return files;
  const copies = [...named].map((name) => ({
    path: join(COPIED, name),
    content: readFileSync(packageFile(`schema/${name}`), 'utf8'),
    mode: 0o644,
  }));
  return [...files, ...copies];
}

/** Finds the schemas of the package if it is installed in the project. They always match its version. */
function findInstalled(folder: string): string | null {
  if (existsSync(join(folder, INSTALLED))) return join(folder, INSTALLED);
  const parent = dirname(folder);
  return parent === folder ? null : findInstalled(parent);
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
