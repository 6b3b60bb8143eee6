import { displayPath, readText } from '#host';
import { InfrastructureError, parseFailure, systemFailure, UsageError } from '#lib';

/**
 * Reads a JSON file of the results folder.
 *
 * @throws UsageError if it is missing, truncated or invalid; InfrastructureError if the system cannot read it
 */
export function readResultsFile<T>(file: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(readText(file)));
  } catch (error) {
    const reason = systemFailure(error);
    if (reason !== null && (error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new InfrastructureError(reason);
    throw new UsageError('results_broken', `${displayPath(file)} cannot be read: ${parseFailure(error)}`);
  }
}
