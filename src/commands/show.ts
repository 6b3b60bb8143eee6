import { readFileSync } from 'node:fs';
import { readEngineState } from '../platform/engine/engine-state.js';
import { projectState } from '../platform/folders.js';
import { renderRun } from '../reports/run-text.js';
import { RunRecord } from '../results/run-record.js';
import { Metrics } from '../results/schema.js';
import { buildSweepDocument, SweepDocument } from '../results/sweep-document.js';
import type { Plan } from '../scenario/plan.js';
import { resultsLog, runFiles, summaryFile } from '../store/results-folder.js';
import { readResults } from '../store/results-log.js';
import { readTextIfThere } from '../platform/read-file.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { findById } from './find-sweep.js';
import { printDocument, printJson, say, textOptions } from './output.js';
import { openProject } from './project.js';
import { uiPage } from './ui-page.js';

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
  const run = RunRecord.parse(JSON.parse(readFileSync(files.run, 'utf8')));
  const metrics = Metrics.parse(JSON.parse(readFileSync(files.metrics, 'utf8')));
  if (options.json) printJson({ run, metrics });
  else process.stdout.write(renderRun(run, metrics, { ...textOptions(), resultsDir: found.folder }));
  return 0;
}

/** A sweep as the files know it: its summary tells whether it has ended, the log what was found. */
export async function sweepDocument(resultsPath: string, plan: Plan): Promise<SweepDocument> {
  const summary = await readTextIfThere(summaryFile(resultsPath, plan.sweep));
  const engine = await readEngineState(projectState(resultsPath).folder);
  const { results, corrupt } = await readResults(resultsLog(resultsPath));
  for (const { line, reason } of corrupt)
    say(`warning: ${resultsLog(resultsPath)}:${line}: this line is passed over: ${reason}`);
  return buildSweepDocument({
    sweep: plan.sweep,
    workflowId: sweepWorkflowId(plan.sweep),
    uiUrl: engine === null ? null : uiPage(engine, sweepWorkflowId(plan.sweep)),
    status: summary === null ? 'running' : SweepDocument.parse(JSON.parse(summary)).status,
    cells: plan.cells,
    results,
    resultsPath,
  });
}
