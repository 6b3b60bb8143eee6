import { existsSync } from 'node:fs';
import type { ReportedCell } from '../../reports/formats/sweep-report.js';
import { RunRecord } from '../../results/records/run-record.js';
import { Metrics } from '../../results/records/result-line.js';
import type { SweepCell } from '../../results/records/sweep-document.js';
import { runFiles } from '../../store/results-folder.js';
import { readResultsFile } from '../../store/read-results-file.js';

/** Reads the records of a cell's run. If they cannot be read, `missing` says why, and a report does without them. */
export function readRecords(cell: SweepCell): ReportedCell {
  if (cell.results_dir === null) return { cell, records: null, missing: null };
  if (!existsSync(cell.results_dir)) return { cell, records: null, missing: 'its folder is gone' };
  const files = runFiles(cell.results_dir);
  const run = readAs(files.run, RunRecord);
  const metrics = readAs(files.metrics, Metrics);
  if (run === null || metrics === null) {
    const broken = run === null ? 'artifacts/run.json' : 'metrics.json';
    return { cell, records: null, missing: `its ${broken} cannot be read` };
  }
  return { cell, records: { run, metrics }, missing: null };
}

/** Returns null if the file is missing, truncated or invalid. */
function readAs<T>(file: string, schema: { parse(value: unknown): T }): T | null {
  try {
    return readResultsFile(file, schema);
  } catch {
    return null;
  }
}
