import { renderRun } from '../../reports/run-text.js';
import { RunRecord } from '../../results/records/run-record.js';
import { Metrics } from '../../results/records/result-line.js';
import { judgedIn } from '../../results/review/judged.js';
import { runFiles } from '../../store/results-folder.js';
import { tryReadActionLog } from '../../client/sweeps/read-records.js';
import { readReview } from '../../client/sweeps/read-review.js';
import { readResultsFile } from '../../store/read-results-file.js';
import { printJson, printNotice, screen, textOptions } from '../shared/output.js';

/** Prints a run: its records, and what its agent did. */
export async function showRun(folder: string, { all, json }: { all: boolean; json: boolean }): Promise<void> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const metrics = readResultsFile(files.metrics, Metrics);
  const human = readReview(folder, judgedIn(metrics), printNotice);
  if (json) {
    printJson({ run, metrics, ...(human === null ? {} : { human }) });
    return;
  }
  const actionLog = await tryReadActionLog(files.events, run);
  process.stdout.write(
    renderRun(run, metrics, { ...textOptions(), ...screen(all), human, resultsDir: folder, actionLog }),
  );
}
