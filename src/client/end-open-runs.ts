import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { terminate } from '#engine';
import { ownCommand } from '#host';
import { InfrastructureError } from '#lib';
import { lostSecsOf, cellOfRun, hostQueueOf, parseRunWorkflowId, sweepWorkflowId, WORKFLOWS } from '#protocol';
import { markLost, readHost, type SharedProject, sharedProjectOf } from '#store';
import { callServer } from './call-server.js';
import type { Session } from './session.js';

/** Runs usually end within seconds. It takes longer if a worker must start first, or the disk is slow. */
const END_MS = 10 * 60_000;
const LOOK_MS = 500;
/** gRPC's code for a workflow that the server does not know, for example because its database is new. */
const NOT_FOUND = 5;
/** The maximum number of cells named in a message. */
const NAMED = 3;

/**
 * Cancels the runs of a sweep that are still open after its workflow has closed, and waits until they have ended.
 * Otherwise another round would start a second agent for their cells.
 *
 * @throws InfrastructureError if they do not end
 */
export async function endOpenRuns(session: Session, sweep: string): Promise<void> {
  let open = await stillOpen(session, await startedRuns(session, sweep));
  if (open.length === 0) return;
  session.report(`waiting for ${named(open, sweep)} of the previous round to end`);
  for (const id of open)
    await callServer(session, ({ workflow }) => workflow.getHandle(id).cancel()).catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // it has ended by itself
    });
  const project = await sharedProjectOf(session.engine.resultsPath);
  const endLost = project === null ? null : createEndOfLostRuns(session, project, sweep);
  for (const until = Date.now() + END_MS; open.length > 0; open = await stillOpen(session, open)) {
    if (Date.now() > until)
      throw new InfrastructureError(
        `${named(open, sweep)} of the previous round did not end within ${END_MS / 60_000} minutes; check with ${ownCommand(project === null ? 'engine status' : 'workers list')} whether a worker is running, and with ${ownCommand(`ui ${sweep}`)} what they are doing`,
      );
    await endLost?.(open);
    await sleep(LOOK_MS);
  }
}

function named(open: readonly string[], sweep: string): string {
  const cells = open.slice(0, NAMED).map((id) => id.slice(`${sweepWorkflowId(sweep)}/`.length));
  const more = open.length > NAMED ? `, and ${open.length - NAMED} more` : '';
  return `${open.length} ${open.length === 1 ? 'run' : 'runs'} (${cells.join(', ')}${more})`;
}

/**
 * Returns the workflow ids of runs that may be open. They come from the sweep's history too, because lists of workflows
 * lag behind.
 */
async function startedRuns(session: Session, sweep: string): Promise<string[]> {
  const query = `SweepId = '${sweep.replaceAll("'", "''")}' AND WorkflowType = '${WORKFLOWS.run}' AND ExecutionStatus = 'Running'`;
  const listed = await callServer(session, async ({ workflow }) => {
    const ids: string[] = [];
    for await (const { workflowId } of workflow.list({ query })) ids.push(workflowId);
    return ids;
  });
  return [...new Set([...listed, ...(await callServer(session, (client) => unfinishedChildren(client, sweep)))])];
}

/** Returns the child workflows whose start, but not whose end, is in the latest history of the sweep's workflow. */
async function unfinishedChildren(client: Client, sweep: string): Promise<string[]> {
  const begun = new Set<string>();
  try {
    const { events } = await client.workflow.getHandle(sweepWorkflowId(sweep)).fetchHistory();
    for (const event of events ?? []) {
      const started = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
      if (started != null) begun.add(started);
      const ended = (
        event.childWorkflowExecutionCompletedEventAttributes ??
        event.childWorkflowExecutionFailedEventAttributes ??
        event.childWorkflowExecutionCanceledEventAttributes ??
        event.childWorkflowExecutionTimedOutEventAttributes ??
        event.childWorkflowExecutionTerminatedEventAttributes
      )?.workflowExecution?.workflowId;
      if (ended != null) begun.delete(ended);
    }
  } catch (error) {
    // Here the client does not convert the gRPC error.
    if (!(error instanceof WorkflowNotFoundError) && (error as { code?: unknown }).code !== NOT_FOUND) throw error;
  }
  return [...begun];
}

/** Returns those of the runs that are open, asking the server for each. */
async function stillOpen(session: Session, ids: readonly string[]): Promise<string[]> {
  const open: string[] = [];
  for (const id of ids) if (await isOpen(session, id)) open.push(id);
  return open;
}

const isOpen = (session: Session, id: string): Promise<boolean> =>
  callServer(session, async ({ workflow }) => {
    try {
      return (await workflow.getHandle(id).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  });

/**
 * Creates a function that ends those runs of a sweep whose hosts show no sign of life: nobody else does so once the
 * sweep's workflow has closed. A host is lost if the function has seen no new sign of it for long enough.
 */
function createEndOfLostRuns(
  session: Session,
  project: SharedProject,
  sweep: string,
): (workflowIds: readonly string[]) => Promise<void> {
  const lostMs = lostSecsOf(process.env) * 1000;
  const seen = new Map<string, { sign: number | null; since: number }>();
  const prefix = hostQueueOf(session.engine.taskQueue, '');

  async function lostSince(host: string): Promise<boolean> {
    const sign = (await readHost(project.store, host))?.sign ?? null;
    const before = seen.get(host);
    if (before === undefined || before.sign !== sign) seen.set(host, { sign, since: performance.now() });
    return before !== undefined && before.sign === sign && performance.now() - before.since >= lostMs;
  }

  return async (workflowIds) => {
    for (const id of workflowIds) {
      const queue = await callServer(session, ({ workflow }) => workflow.getHandle(id).describe()).then(
        ({ taskQueue }) => taskQueue,
        () => '',
      );
      const host = queue.startsWith(prefix) ? queue.slice(prefix.length) : null;
      if (host === null || !(await lostSince(host))) continue;
      const run = { sweep, cell: cellOfRun(sweep, id), ...parseRunWorkflowId(id) };
      await markLost(project, run, { host, at: new Date().toISOString() });
      session.report(`${run.cell}: its host ${host} shows no sign of life; its run is given up`);
      await callServer(session, (client) => terminate(client, id, `its host ${host} shows no sign of life`));
    }
  };
}
