import { RunRecord } from '../results/run-record.js';
import { runFiles } from '../store/results-folder.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { printJson } from './output.js';
import { openProject } from './project.js';
import { openSession } from './session.js';
import { findById } from './sweeps/find-sweep.js';
import { readOwn } from './sweeps/read-own.js';
import type { SteerOptions } from './sweeps/update-sweep.js';
import { uiPage } from './ui-page.js';
import { InfrastructureError } from './usage-error.js';

/** `ui`: the address of the Web UI, or of the page of a sweep or run. Brings the engine up, and opens no browser. */
export async function ui(id: string | undefined, options: SteerOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const workflow = id === undefined ? null : workflowOf(resultsPath, id);
  const session = await openSession(resultsPath, options);
  await session.close();
  const { engine } = session;
  const url = workflow === null ? engine.uiUrl : uiPage(engine, workflow);
  if (url === null)
    throw new InfrastructureError(
      `the Temporal server ${engine.address} was given, and does not say where its Web UI is: look there ${workflow === null ? `for the namespace ${engine.namespace}` : `for the workflow ${workflow}, in the namespace ${engine.namespace}`}`,
    );
  if (options.json) printJson({ ui_url: url });
  else process.stdout.write(`${url}\n`);
  return 0;
}

function workflowOf(resultsPath: string, id: string): string {
  const found = findById(resultsPath, id);
  return found.kind === 'sweep'
    ? sweepWorkflowId(found.plan.sweep)
    : readOwn(runFiles(found.folder).run, RunRecord).workflow_id;
}
