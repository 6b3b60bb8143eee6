import { join, relative, sep } from 'node:path';
import type { Gate, SweepCell, SweepDocument } from '#decide';
import type { ActionLog, AgentRecord, Efficiency, GateDetail, RunRecord } from '#model';

/** The contents of a sweep report. All text in it is redacted already. */
export interface SweepReport {
  document: SweepDocument;
  /** In the order of the document. */
  cells: readonly ReportedCell[];
  /** The absolute path of the folder to which links to the files of runs are relative. */
  base: string;
  /** The address of the HTML report, where each run has a page; absent: it has no address. */
  page?: string;
  /** The comparison with the reference of the schedule that started it. */
  night?: { schedule: string; verdict: Gate['result']; reasons: readonly string[] };
}

export interface ReportedCell {
  cell: SweepCell;
  /** The record of its run; null if nothing was run, or if it can no longer be read. */
  records: RunRecords | null;
  /** The reason why the records cannot be read. */
  missing: string | null;
}

/** The part of the records of a run that reports show: thousands of these fit into memory. */
interface RunRecords {
  run: Pick<RunRecord, 'run_id'> & {
    agent: Pick<AgentRecord, 'version' | 'model_used' | 'token_usage' | 'token_usage_at_least'> | null;
  };
  /** Not all of the gates that passed have to be there. */
  metrics: { details: readonly GateDetail[]; efficiency: Pick<Efficiency, 'total_commands'> | null };
  /** The agent's actions, if the run did not pass. Null if it left no events; a text says why they are not known. */
  actionLog?: ActionLog | null | string;
}

/** The most runs whose actions a report shows: comments on GitHub have at most 65,536 characters. */
export const MAX_ACTION_LOGS = 10;

/** A way to write a report of a sweep. */
export interface SweepFormat {
  render(report: SweepReport): string;
  /** Append to the file instead of replacing it, because others write to it too. */
  appends?: boolean;
  /** Lines for the command's log, for a service that sets this variable to `true`. */
  log?: { variable: string; lines(report: SweepReport): string[] };
}

/** Returns the first gate that failed; if none did, the first that could not be checked; or null. */
export const firstFailing = ({ records }: ReportedCell): GateDetail | null => {
  const gates = records?.metrics.details ?? [];
  return gates.find(({ status }) => status === 'fail') ?? gates.find(({ status }) => status === 'error') ?? null;
};

/** Returns the address of the page of a run in the HTML report; null if either is missing. */
export const pageOfRun = ({ page }: SweepReport, { records }: ReportedCell): string | null =>
  page === undefined || records === null ? null : `${page}#/runs/${encodeURIComponent(records.run.run_id)}`;

/** Returns the URL, relative to `base`, of a file of a run. `path` is relative to the run's folder. */
export function fileUrl(base: string, folder: string, path: string): string {
  return relative(base, join(folder, path))
    .split(sep)
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\uFFFD')).replace(/[()'!*]/g, percent))
    .join('/')
    .concat(path.endsWith('/') ? '/' : '');
}

/** Parentheses would end a markdown link. */
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
