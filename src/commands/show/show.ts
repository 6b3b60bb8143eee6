import { renderRun } from '../../reports/run-text.js';
import { RunRecord } from '../../results/records/run-record.js';
import { Metrics } from '../../results/records/result-line.js';
import { runFiles } from '../../store/results-folder.js';
import { printSweep, printJson, printNotice, textOptions } from '../shared/output.js';
import { followById } from './follow.js';
import { openProject } from '../../planning/project.js';
import { findById } from '../../client/sweeps/find-sweep.js';
import { readResultsFile } from '../../client/sweeps/read-results-file.js';
import { sweepDocument } from '../../client/sweeps/sweep-document.js';

/** `show`: prints a sweep or a run, using only the files. */
export async function show(
  id: string,
  options: { json: boolean; results?: string; follow?: boolean },
): Promise<number> {
  if (options.follow === true) {
    const followed = await followById(id, options);
    return followed === null ? 130 : show(followed, { ...options, follow: false });
  }
  const { resultsPath } = openProject(options.results);
  const found = findById(resultsPath, id);
  if (found.kind === 'sweep') {
    const document = await sweepDocument(resultsPath, found.plan, printNotice);
    printSweep(document, options.json);
    return 0;
  }
  const files = runFiles(found.folder);
  const run = readResultsFile(files.run, RunRecord);
  const metrics = readResultsFile(files.metrics, Metrics);
  if (options.json) printJson({ run, metrics });
  else process.stdout.write(renderRun(run, metrics, { ...textOptions(), resultsDir: found.folder }));
  return 0;
}
