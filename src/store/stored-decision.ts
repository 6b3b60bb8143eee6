import { closeSync, existsSync, fstatSync, readSync } from 'node:fs';
import { z } from 'zod';
import { Decision, SweepDocument } from '#decide';
import { displayPath, openFile, readText } from '#host';
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

/** Enough for the fields before the cells, of which there may be thousands. */
const HEAD = 4096;
const STATUS =
  /^\{\s*(?:"(?:schema_version|sweep|workflow_id|ui_url)":\s*(?:"[^"\\]*"|null|\d+),\s*)*"status":\s*"([a-z]+)"/;

/**
 * Reads the status in the summary of a sweep, of which it reads only the beginning, as this program writes it.
 *
 * @throws UsageError if it is missing, truncated or invalid; InfrastructureError if the system cannot read it
 */
export function storedStatus(resultsPath: string, sweep: string): SweepDocument['status'] {
  const file = summaryFile(resultsPath, sweep);
  const { head, tail } = endsOf(file);
  const [, status] = STATUS.exec(head) ?? [];
  const found = tail.trimEnd().endsWith('}') ? Status.safeParse({ status }) : null;
  return found?.success === true ? found.data.status : readResultsFile(file, Status).status;
}

const Status = SweepDocument.pick({ status: true });

/** The first and the last bytes of a file; nothing if it cannot be read. */
export function endsOf(path: string): { head: string; tail: string } {
  try {
    const file = openFile(path);
    try {
      const { size } = fstatSync(file);
      const part = (from: number): string => {
        const bytes = Buffer.alloc(Math.min(HEAD, size));
        return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString();
      };
      return { head: part(0), tail: part(Math.max(0, size - HEAD)) };
    } finally {
      closeSync(file);
    }
  } catch {
    return { head: '', tail: '' };
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
