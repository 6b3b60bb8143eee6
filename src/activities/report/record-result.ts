import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { ResultLine } from '#model';
import { parseRunWorkflowId, type RunRef } from '#protocol';
import { appendResult, publishResult, resultsLog, runFiles, sharedProjectOf } from '#store';
import { countCell } from './count-cell.js';
import type { Deps } from '../step/deps.js';

/**
 * Records the result of a run, which makes the run known. Returns the line that counts: of a shared project, that may be
 * one that an earlier attempt published.
 * @throws ApplicationFailure (non-retryable) if the run was given up, and the cell is run on another host
 */
export async function recordResult(
  { resultsPath, metrics }: Deps,
  { sweep, cell, run: folder, workflowId }: RunRef,
  line: ResultLine,
): Promise<ResultLine> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) {
    await appendResult(resultsLog(resultsPath), line);
    countCell(metrics, line);
    return line;
  }
  const files = runFiles(join(resultsPath, folder));
  // `cleanUp` would remove them only after others have got the folder.
  for (const path of [files.liveEvents, files.workspace]) await rm(path, { force: true });
  const run = { sweep, cell: cell.id, ...parseRunWorkflowId(workflowId) };
  const published = await publishResult(project, run, line);
  if (published === 'lost')
    throw ApplicationFailure.nonRetryable(
      'this host was taken for lost, and the cell is run again elsewhere; this result does not count',
      'Superseded',
    );
  if (published !== 'published') return published.line;
  countCell(metrics, line);
  return line;
}
