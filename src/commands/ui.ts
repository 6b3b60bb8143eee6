import { openSession, type SweepOptions } from '#client';
import { InfrastructureError } from '#lib';
import { RunRecord } from '#model';
import { openProject } from '#planning';
import { sweepWorkflowId } from '#protocol';
import { readResultsFile, runFiles } from '#store';
import { findById, savedQueries, uiPage } from '#sweeps';
import { printJson, printNotice } from './shared/output.js';

/**
 * `ui`: prints the address of the Web UI, or of its page for a sweep or run, and those of lists of runs. Starts the
 * engine, but opens no browser.
 */
export async function ui(id: string | undefined, options: SweepOptions): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const { workflow, sweep } = id === undefined ? { workflow: null, sweep: null } : await find(resultsPath, id);
  const session = await openSession(resultsPath, printNotice, options);
  await session.close();
  const { engine } = session;
  const url = workflow === null ? engine.uiUrl : uiPage(engine, workflow);
  if (url === null)
    throw new InfrastructureError(
      `the address of the Web UI of the external Temporal server ${engine.address} is unknown; look there ${workflow === null ? `for the namespace ${engine.namespace}` : `for the workflow ${workflow}, in the namespace ${engine.namespace}`}`,
    );
  const queries = workflow === null || sweep !== null ? savedQueries(engine, sweep) : [];
  if (options.json) printJson({ ui_url: url, queries });
  else {
    process.stdout.write(`${url}\n`);
    // On stderr: scripts open what is on stdout.
    for (const { title, url } of queries) printNotice(`${title}: ${url}`);
  }
  return 0;
}

/** Ids of the workflow of a sweep or run, and of the sweep if it is one. */
async function find(resultsPath: string, id: string): Promise<{ workflow: string; sweep: string | null }> {
  const found = await findById(resultsPath, id);
  if (found.kind === 'sweep') {
    const { sweep } = found.plan;
    return { workflow: sweepWorkflowId(sweep), sweep };
  }
  const { workflow_id: workflow } = readResultsFile(runFiles(found.folder).run, RunRecord);
  return { workflow, sweep: null };
}
