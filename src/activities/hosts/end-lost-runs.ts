import { Context } from '@temporalio/activity';
import { terminate } from '#engine';
import { type LostRun, type LostRunsInput, runWorkflowId } from '#protocol';
import { markLost, requireSharedProject } from '#store';
import { resultOfLine } from '../report/result-of-line.js';
import type { Deps } from '../step/deps.js';
import { readPlan } from '../step/load-plan.js';
import { verifyPlacing } from '../step/verify-origin.js';

/**
 * Ends runs whose host shows no sign of life: from now on it cannot publish their results. A result that it published
 * before counts.
 */
export const endLostRuns =
  (deps: Deps) =>
  async ({ sweep, round, host, runs, origin }: LostRunsInput): Promise<LostRun[]> => {
    const project = await requireSharedProject(deps.resultsPath);
    const { planHash } = await readPlan(deps.resultsPath, sweep);
    await verifyPlacing(deps, { sweep, planHash }, origin);
    const { client } = Context.current();
    const lost = { host: host.id, at: new Date(host.at).toISOString() };
    return Promise.all(
      runs.map(async ({ cell, ...of }): Promise<LostRun> => {
        const line = await markLost(project, { sweep, cell: cell.id, round, ...of }, lost);
        const id = runWorkflowId(sweep, cell.id, round, of);
        await terminate(client, id, `its host ${host.name} shows no sign of life`);
        return { cell: cell.id, result: line === null ? null : resultOfLine(line) };
      }),
    );
  };
