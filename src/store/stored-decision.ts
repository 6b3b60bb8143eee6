import { existsSync } from 'node:fs';
import { z } from 'zod';
import { Decision } from '#decide';
import { displayPath, readText } from '#host';
import { InfrastructureError, parseFailure, systemFailure, UsageError } from '#lib';
import { summaryFile } from './results-folder.js';

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
    if (reason !== null && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw new InfrastructureError(reason);
    throw new UsageError('results_broken', `${displayPath(file)} cannot be read: ${parseFailure(error)}`);
  }
}

/** The part of a summary that says what a sweep has decided. */
const Decided = z.object({
  decision: Decision.exactOptional(),
  cells: z.array(z.object({ id: z.string() })),
});

/** The decision of a sweep that has ended, and the ids of the cells that it needed. */
interface StoredDecision {
  decision: Decision;
  cells: string[];
}

/**
 * Reads what a sweep has decided, as it was decided: a later build may weigh the same results in another way. Null if
 * the sweep is open, or runs all of its cells.
 */
export function storedDecision(resultsPath: string, sweep: string): StoredDecision | null {
  const file = summaryFile(resultsPath, sweep);
  if (!existsSync(file)) return null;
  const { decision, cells } = readResultsFile(file, Decided);
  return decision === undefined ? null : { decision, cells: cells.map(({ id }) => id) };
}
