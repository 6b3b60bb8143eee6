import { Context } from '@temporalio/activity';
import { terminate } from '#engine';
import { type LostRun, type LostRunsInput, runWorkflowId, type Signs, type SignsInput } from '#protocol';
import { markLost, readHost, requireSharedProject } from '#store';
import { resultOfLine } from '../report/record-result.js';
import type { Deps } from '../step/deps.js';
import { readPlan } from '../run/load-plan.js';
import { verifyPlacing } from '../origin/verify-origin.js';

/** Reads the newest signs of life of hosts. */
export const readSigns =
  ({ resultsPath }: Pick<Deps, 'resultsPath'>) =>
  async ({ hosts }: SignsInput): Promise<Signs> => {
    const { store } = await requireSharedProject(resultsPath);
    const signs = hosts.map(async (id) => [id, (await readHost(store, id))?.sign ?? null] as const);
    return Object.fromEntries(await Promise.all(signs));
  };

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
