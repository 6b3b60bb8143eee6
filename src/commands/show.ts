import { renderRun } from '../reports/run-text.js';
import { RunRecord } from '../results/run-record.js';
import { Metrics } from '../results/schema.js';
import { runFiles } from '../store/results-folder.js';
import { printDocument, printJson, textOptions } from './output.js';
import { openProject } from './project.js';
import { findById } from './sweeps/find-sweep.js';
import { readOwn } from './sweeps/read-own.js';
import { sweepDocument } from './sweeps/sweep-document.js';

/** `show`: one sweep or run, from the files alone. */
export async function show(id: string, options: { json: boolean; results?: string }): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const found = findById(resultsPath, id);
  if (found.kind === 'sweep') {
    const document = await sweepDocument(resultsPath, found.plan);
    printDocument(document, options.json);
    return 0;
  }
  const files = runFiles(found.folder);
  const run = readOwn(files.run, RunRecord);
  const metrics = readOwn(files.metrics, Metrics);
  if (options.json) printJson({ run, metrics });
  else process.stdout.write(renderRun(run, metrics, { ...textOptions(), resultsDir: found.folder }));
  return 0;
}
