import { existsSync } from 'node:fs';
import { readTextIfThere } from '../../platform/read-file.js';
import type { ReportedCell } from '../../reports/formats/sweep-report.js';
import { RunRecord } from '../../results/run-record.js';
import { Metrics } from '../../results/schema.js';
import type { SweepCell } from '../../results/sweep-document.js';
import { runFiles } from '../../store/results-folder.js';

/** What the run of a cell has left, or why that cannot be read: a report goes on without it. */
export async function readRecords(cell: SweepCell): Promise<ReportedCell> {
  if (cell.results_dir === null) return { cell, records: null, missing: null };
  if (!existsSync(cell.results_dir)) return { cell, records: null, missing: 'its folder is gone' };
  const files = runFiles(cell.results_dir);
  const run = await readAs(files.run, RunRecord);
  const metrics = await readAs(files.metrics, Metrics);
  if (run === null || metrics === null) {
    const broken = run === null ? 'artifacts/run.json' : 'metrics.json';
    return { cell, records: null, missing: `its ${broken} cannot be read` };
  }
  return { cell, records: { run, metrics }, missing: null };
}

/** null: it is gone, cut, or not what it should be. */
async function readAs<T>(
  file: string,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
): Promise<T | null> {
  try {
    const parsed = schema.safeParse(JSON.parse((await readTextIfThere(file)) ?? 'null'));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
