import { renderRun } from '../../reports/run-text.js';
import { RunRecord } from '../../results/records/run-record.js';
import { Metrics } from '../../results/records/result-line.js';
import { displayPath } from '../../platform/display-path.js';
import { runFiles } from '../../store/results-folder.js';
import { tryReadActionLog } from '../../client/sweeps/read-records.js';
import { readResultsFile } from '../../client/sweeps/read-results-file.js';
import { printJson, screen, textOptions } from '../shared/output.js';

/** Prints a run: its records, and what its agent did. */
export async function showRun(folder: string, { all, json }: { all: boolean; json: boolean }): Promise<void> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const metrics = readResultsFile(files.metrics, Metrics);
  if (json) {
    printJson({ run, metrics });
    return;
  }
  const actionLog = await tryReadActionLog(files.events);
  process.stdout.write(
    renderRun(run, metrics, { ...textOptions(), ...screen(all), resultsDir: displayPath(folder), actionLog }),
  );
}
