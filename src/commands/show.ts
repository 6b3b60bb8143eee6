import { existsSync } from 'node:fs';
import { readEngineState } from '../platform/engine/engine-state.js';
import { projectState } from '../platform/folders.js';
import { renderRun } from '../reports/run-text.js';
import { RunRecord } from '../results/run-record.js';
import { Metrics } from '../results/schema.js';
import { buildSweepDocument, SweepDocument } from '../results/sweep-document.js';
import type { Plan } from '../scenario/plan.js';
import { resultsLog, runFiles, summaryFile } from '../store/results-folder.js';
import { readResults } from '../store/results-log.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { findById } from './find-sweep.js';
import { readOwn } from './read-own.js';
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
  const run = readOwn(files.run, RunRecord);
  const metrics = readOwn(files.metrics, Metrics);
  if (options.json) printJson({ run, metrics });
  else process.stdout.write(renderRun(run, metrics, { ...textOptions(), resultsDir: found.folder }));
  return 0;
}

/** A sweep as the files know it: its summary tells whether it has ended, the log what was found. */
export async function sweepDocument(resultsPath: string, plan: Plan): Promise<SweepDocument> {
  const summary = summaryFile(resultsPath, plan.sweep);
  const engine = await readEngineState(projectState(resultsPath).folder);
  const { results, corrupt } = readResults(resultsLog(resultsPath));
  for (const { line, reason } of corrupt)
    say(`warning: ${resultsLog(resultsPath)}:${line}: this line is passed over: ${reason}`);
  return buildSweepDocument({
    sweep: plan.sweep,
    workflowId: sweepWorkflowId(plan.sweep),
    uiUrl: engine === null ? null : uiPage(engine, sweepWorkflowId(plan.sweep)),
    status: existsSync(summary) ? readOwn(summary, SweepDocument).status : 'running',
    maxUsd: plan.max_usd,
    cells: plan.cells,
    results,
    resultsPath,
  });
}
