import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { SweepCell, SweepDocument } from '#decide';
import { defined, UsageError } from '#lib';
import { type ActionLog, Metrics, RunRecord, type ResultDigest, type ResultLine } from '#model';
import { MAX_ACTION_LOGS, type ReportedCell } from '#reports';
import {
  readActionLog,
  readResultsFile,
  runFiles,
  type CorruptLine,
  readResults,
  resultsIndex,
  resultsLog,
} from '#store';

/** The records of a cell's run; null if nothing was run, or if they cannot be read: `missing` says why. */
interface CellRecords {
  records: { run: RunRecord; metrics: Metrics } | null;
  missing: string | null;
}

/** Reads the records of a cell's run. A report does without those that cannot be read. */
export function readRecords({ results_dir: folder }: SweepCell): CellRecords {
  if (folder === null) return { records: null, missing: null };
  const files = runFiles(folder);
  const run = readAs(files.run, RunRecord);
  const metrics = run === null ? null : readAs(files.metrics, Metrics);
  if (run !== null && metrics !== null) return { records: { run, metrics }, missing: null };
  const broken = run === null ? 'artifacts/run.json' : 'metrics.json';
  return { records: null, missing: existsSync(folder) ? `its ${broken} cannot be read` : GONE };
}

const GONE = 'its folder is gone';

/**
 * Returns what reports show of the runs of a sweep. It is in their results; files are read only to show what the agents
 * did in the first runs that did not pass, and for results without tokens: earlier builds wrote none.
 */
export async function reportedCells(
  resultsPath: string,
  { sweep, cells }: SweepDocument,
  results: readonly ResultDigest[],
): Promise<ReportedCell[]> {
  // Cells with the same folder have the same run.
  const byFolder = new Map<string, ResultDigest>();
  for (const line of results) if (line.sweep === sweep) byFolder.set(`${resultsPath}/${line.results_dir}`, line);
  const reported: ReportedCell[] = [];
  let left = MAX_ACTION_LOGS;
  for (const cell of cells) {
    const { results_dir: folder } = cell;
    const line = folder === null ? undefined : byFolder.get(folder);
    if (folder === null || line === undefined) {
      reported.push({ cell, records: null, missing: null });
      continue;
    }
    const { events } = runFiles(folder);
    const isShown = (cell.outcome === 'fail' || cell.outcome === 'error') && existsSync(events);
    const isRead = (isShown && left > 0) || line.token_usage === undefined;
    const { records, missing } = isRead
      ? readRecords(cell)
      : { records: null, missing: existsSync(folder) ? null : GONE };
    const actionLog = !isShown
      ? null
      : records === null || left <= 0
        ? NOT_SHOWN
        : await tryReadActionLog(events, records.run);
    if (missing === null && actionLog !== null) left -= 1;
    const shown = { ...shownOf(folder, line, records), actionLog };
    reported.push({ cell, records: missing === null ? shown : null, missing });
  }
  return reported;
}

const NOT_SHOWN = 'Not read.';

const shownOf = (
  folder: string,
  { agent_version, model_used, token_usage, token_usage_at_least, metrics }: ResultDigest,
  records: CellRecords['records'],
): NonNullable<ReportedCell['records']> => ({
  run: {
    run_id: basename(folder),
    agent:
      token_usage === undefined
        ? (records?.run.agent ?? null)
        : {
            version: agent_version ?? null,
            model_used: model_used ?? null,
            token_usage,
            ...defined({ token_usage_at_least }),
          },
  },
  metrics: {
    details: (metrics?.details ?? []).filter(({ status }) => status !== 'pass'),
    efficiency: records?.metrics.efficiency ?? null,
  },
});

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

/** Like `readLog`, for what needs no more than some digests: it is much faster for thousands of results. */
export function readDigestedLog(
  resultsPath: string,
  warn: (text: string) => void,
  isNeeded: (result: ResultDigest) => boolean = () => true,
): readonly ResultDigest[] {
  const { results, corrupt } = resultsIndex(resultsPath).pick((line) => (isNeeded(line) ? line : undefined));
  for (const line of corrupt) warn(corruptLine(resultsLog(resultsPath), line));
  return results;
}

export const corruptLine = (log: string, { line, reason }: CorruptLine): string =>
  `warning: ${log}:${line}: skipped this line: ${reason}`;
