import { existsSync } from 'node:fs';
import type { SweepCell } from '#decide';
import { UsageError } from '#lib';
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
  return { records: null, missing: existsSync(folder) ? `its ${broken} cannot be read` : 'its folder is gone' };
}

/** Reads what reports show of the runs of a sweep, and what the agents did in the first that did not pass. */
export async function reportedCells(cells: readonly SweepCell[]): Promise<ReportedCell[]> {
  const reported: ReportedCell[] = [];
  let left = MAX_ACTION_LOGS;
  for (const cell of cells) {
    const { records, missing } = readRecords(cell);
    if (records === null || cell.results_dir === null) {
      reported.push({ cell, records: null, missing });
      continue;
    }
    const { run, metrics } = records;
    const { events } = runFiles(cell.results_dir);
    const isShown = (cell.outcome === 'fail' || cell.outcome === 'error') && existsSync(events);
    const actionLog = !isShown ? null : left > 0 ? await tryReadActionLog(events, run) : NOT_SHOWN;
    if (actionLog !== null) left -= 1;
    reported.push({ cell, records: shownOf(run, metrics, actionLog), missing });
  }
  return reported;
}

const NOT_SHOWN = 'Not read.';

const shownOf = (
  { run_id, agent }: RunRecord,
  { details, efficiency }: Metrics,
  actionLog: ActionLog | null | string,
): ReportedCell['records'] => ({
  run: {
    run_id,
    agent: agent && {
      version: agent.version,
      model_used: agent.model_used,
      token_usage: agent.token_usage,
      ...(agent.token_usage_at_least && { token_usage_at_least: agent.token_usage_at_least }),
    },
  },
  metrics: { details: details.filter(({ status }) => status !== 'pass'), efficiency },
  actionLog,
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
