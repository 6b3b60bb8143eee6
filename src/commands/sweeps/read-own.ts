import { readFileSync } from 'node:fs';
import { displayPath } from '../project.js';
import { UsageError } from '../usage-error.js';

/** Reads a file of the results folder. @throws UsageError for one that is gone, cut, or not what it should be. */
export function readOwn<T>(file: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageError(
      'results_broken',
      `${displayPath(file)} cannot be read: ${(error as Error).message}`,
    );
  }
}
