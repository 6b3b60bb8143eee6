import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { folderAbove } from '#host';

const INSTALLED = join('node_modules', 'llm-tool-test', 'schema');

/**
 * Finds the schemas of the package if it is installed in the project, in this folder or one above. They always match
 * its version. Null if it is not.
 */
export function findInstalledSchemas(from: string): string | null {
  const folder = folderAbove(from, (folder) => existsSync(join(folder, INSTALLED)));
  return folder === null ? null : join(folder, INSTALLED);
}

/** Formats the path of a schema for a file in this folder, in the way that editors need it. */
export function schemaPath(from: string, to: string): string {
  const path = relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}
