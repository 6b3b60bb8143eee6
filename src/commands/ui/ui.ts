import { RunRecord } from '../../results/records/run-record.js';
import { runFiles } from '../../store/results-folder.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { printJson, printNotice } from '../shared/output.js';
import { openProject } from '../../planning/project.js';
import { openSession } from '../../client/session.js';
import { findById } from '../../client/sweeps/find-sweep.js';
import { readResultsFile } from '../../store/read-results-file.js';
import type { SweepOptions } from '../../client/update-sweep.js';
import { uiPage } from '../../client/ui-page.js';
import { InfrastructureError } from '../../lib/errors/usage-error.js';

/**
 * `ui`: prints the address of the Web UI, or of its page for a sweep or run. Starts the engine, but opens no browser.
 */
export async function ui(id: string | undefined, options: SweepOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const workflow = id === undefined ? null : await workflowOf(resultsPath, id);
  const session = await openSession(resultsPath, printNotice, options);
  await session.close();
  const { engine } = session;
  const url = workflow === null ? engine.uiUrl : uiPage(engine, workflow);
  if (url === null)
    throw new InfrastructureError(
      `the address of the Web UI of the external Temporal server ${engine.address} is unknown; look there ${workflow === null ? `for the namespace ${engine.namespace}` : `for the workflow ${workflow}, in the namespace ${engine.namespace}`}`,
    );
  if (options.json) printJson({ ui_url: url });
  else process.stdout.write(`${url}\n`);
  return 0;
}

async function workflowOf(resultsPath: string, id: string): Promise<string> {
  const found = await findById(resultsPath, id);
  return found.kind === 'sweep'
    ? sweepWorkflowId(found.plan.sweep)
    : readResultsFile(runFiles(found.folder).run, RunRecord).workflow_id;
}
