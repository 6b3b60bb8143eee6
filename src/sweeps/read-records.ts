import { existsSync } from 'node:fs';
import type { SweepCell } from '#decide';
import { UsageError } from '#lib';
import { type ActionLog, Metrics, RunRecord, type ResultDigest, type ResultLine } from '#model';
import type { ReportedCell } from '#reports';
import {
  readActionLog,
  readResultsFile,
  runFiles,
  type CorruptLine,
  readResults,
  resultsIndex,
  resultsLog,
} from '#store';

/**
 * Reads the records of a cell's run, and what its agent did if it did not pass. If they cannot be read, `missing` says
 * why, and a report does without them. `withActions`: whether to read what the agent did.
 */
export async function readRecords(cell: SweepCell, withActions = true): Promise<ReportedCell> {
  if (cell.results_dir === null) return { cell, records: null, missing: null };
  if (!existsSync(cell.results_dir)) return { cell, records: null, missing: 'its folder is gone' };
  const files = runFiles(cell.results_dir);
  const run = readAs(files.run, RunRecord);
  const metrics = readAs(files.metrics, Metrics);
  if (run === null || metrics === null) {
    const broken = run === null ? 'artifacts/run.json' : 'metrics.json';
    return { cell, records: null, missing: `its ${broken} cannot be read` };
  }
  const actionLog = cell.outcome === 'pass' || !withActions ? null : await tryReadActionLog(files.events, run);
  return { cell, records: { run, metrics, actionLog }, missing: null };
}

/** Reads what an agent did; a text says why that is impossible. */
export const tryReadActionLog = (
  events: string,
  { agent }: Pick<RunRecord, 'agent'>,
): Promise<ActionLog | null | string> =>
  readActionLog(events, agent).catch((error: unknown) => {
    if (error instanceof UsageError) return `It cannot be read: ${error.message}.`;
    throw error;
  });

/** Returns null if the file is missing, truncated or invalid. */
function readAs<T>(file: string, schema: { parse(value: unknown): T }): T | null {
  try {
    return readResultsFile(file, schema);
  } catch {
    return null;
  }
}

/** Reads all lines of results.jsonl. Warns about each line that cannot be read. */
export function readLog(resultsPath: string, warn: (text: string) => void): ResultLine[] {
  const log = resultsLog(resultsPath);
  const { results, corrupt } = readResults(log);
  for (const line of corrupt) warn(corruptLine(log, line));
  return results;
}

/** Like `readLog`, for what needs no more than digests: it is much faster for thousands of results. */
export function readDigestedLog(resultsPath: string, warn: (text: string) => void): readonly ResultDigest[] {
  const { results, corrupt } = resultsIndex(resultsPath).digests();
  for (const line of corrupt) warn(corruptLine(resultsLog(resultsPath), line));
  return results;
}

export const corruptLine = (log: string, { line, reason }: CorruptLine): string =>
  `warning: ${log}:${line}: skipped this line: ${reason}`;
