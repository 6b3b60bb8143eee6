import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const INSTALLED = join('node_modules', 'llm-tool-test', 'schema');

/**
 * Finds the schemas of the package if it is installed in the project, in this folder or one above. They always match
 * its version. Null if it is not.
 */
export function findInstalledSchemas(folder: string): string | null {
  if (existsSync(join(folder, INSTALLED))) return join(folder, INSTALLED);
  const parent = dirname(folder);
  return parent === folder ? null : findInstalledSchemas(parent);
}

/** Formats the path of a schema for a file in this folder, in the way that editors need it. */
export function schemaPath(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}
