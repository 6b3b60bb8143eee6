import { join, relative, sep } from 'node:path';
import type { Gate, SweepCell, SweepDocument } from '#decide';
import type { ActionLog, GateDetail, Metrics, RunRecord } from '#model';

/** The contents of a sweep report. All text in it is redacted already. */
export interface SweepReport {
  document: SweepDocument;
  /** In the order of the document. */
  cells: readonly ReportedCell[];
  /** The absolute path of the folder to which links to the files of runs are relative. */
  base: string;
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

interface RunRecords {
  run: RunRecord;
  metrics: Metrics;
  /** The agent's actions, if the run did not pass. Null if it left no events; a text says why they cannot be read. */
  actionLog?: ActionLog | null | string;
}

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
