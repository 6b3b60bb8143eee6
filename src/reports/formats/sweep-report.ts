import { join, relative, sep } from 'node:path';
import type { RunRecord } from '../../results/records/run-record.js';
import type { GateDetail, Metrics } from '../../results/records/result-line.js';
import type { SweepCell, SweepDocument } from '../../results/records/sweep-document.js';

/** What a report of a sweep is made of. All text in it is redacted already. */
export interface SweepReport {
  document: SweepDocument;
  /** In the order of the document. */
  cells: readonly ReportedCell[];
  /** Absolute: the folder from which links lead to the files of runs. */
  base: string;
}

export interface ReportedCell {
  cell: SweepCell;
  /** What its run has left; null where nothing was run, or it cannot be read any more. */
  records: RunRecords | null;
  /** Why it cannot be read. */
  missing: string | null;
}

interface RunRecords {
  run: RunRecord;
  metrics: Metrics;
}

/** A way to write a report of a sweep. */
export interface SweepFormat {
  render(report: SweepReport): string;
  /** Others write to the same file: it is added to, not replaced. */
  appends?: boolean;
  /** What a service that sets this variable to `true` reads in the log of the command. */
  log?: { variable: string; lines(report: SweepReport): string[] };
}

/** The first gate that failed; where none did, the first that could not be checked. */
export const firstFailing = ({ records }: ReportedCell): GateDetail | null => {
  const gates = records?.metrics.details ?? [];
  return (
    gates.find(({ status }) => status === 'fail') ?? gates.find(({ status }) => status === 'error') ?? null
  );
};

/** A relative URL of a file of a run; `path` is relative to the run's folder. */
export function fileUrl(base: string, folder: string, path: string): string {
  return relative(base, join(folder, path))
    .split(sep)
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\uFFFD')).replace(/[()'!*]/g, percent))
    .join('/')
    .concat(path.endsWith('/') ? '/' : '');
}

/** Parentheses would end a link of markdown. */
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
