import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { sweepWorkflowId, WORKFLOWS } from '../workflows/protocol.js';
import { askServer } from './ask-server.js';
import { ownCommand } from '../platform/invocation.js';
import type { Session } from './session.js';
import { InfrastructureError } from '../lib/usage-error.js';

/** Ending takes seconds; a worker that has to come first, or a slow disk, takes longer. */
const END_MS = 10 * 60_000;
const LOOK_MS = 500;
/** gRPC's code of a workflow that the server does not know, as with a new database. */
const NOT_FOUND = 5;
/** So many cells are named in a message. */
const NAMED = 3;

/**
 * Cancels the runs of a sweep that outlive its workflow, and waits until none is open: another round would start a second
 * agent beside theirs.
 * @throws InfrastructureError when they do not end
 */
export async function endOpenRuns(session: Session, sweep: string): Promise<void> {
  let open = await openOf(session, await startedRuns(session, sweep));
  if (open.length === 0) return;
  session.report(`waiting for ${named(open, sweep)} of the previous round to end`);
  for (const id of open)
    await askServer(session, ({ workflow }) => workflow.getHandle(id).cancel()).catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // it has ended by itself
    });
  for (const until = Date.now() + END_MS; open.length > 0; open = await openOf(session, open)) {
    if (Date.now() > until)
      throw new InfrastructureError(
        `${named(open, sweep)} of the previous round did not end within ${END_MS / 60_000} minutes; check with ${ownCommand('engine status')} whether a worker is running, and with ${ownCommand(`ui ${sweep}`)} what they are doing`,
      );
    await sleep(LOOK_MS);
  }
}

function named(open: readonly string[], sweep: string): string {
  const cells = open.slice(0, NAMED).map((id) => id.slice(`${sweepWorkflowId(sweep)}/`.length));
  const more = open.length > NAMED ? `, and ${open.length - NAMED} more` : '';
  return `${open.length} ${open.length === 1 ? 'run' : 'runs'} (${cells.join(', ')}${more})`;
}

/** Workflow ids of runs that may be open: lists of workflows lag behind, so what the sweep's history began counts too. */
async function startedRuns(session: Session, sweep: string): Promise<string[]> {
  const query = `SweepId = '${sweep.replaceAll("'", "''")}' AND WorkflowType = '${WORKFLOWS.run}' AND ExecutionStatus = 'Running'`;
  const listed = await askServer(session, async ({ workflow }) => {
    const ids: string[] = [];
    for await (const { workflowId } of workflow.list({ query })) ids.push(workflowId);
    return ids;
  });
  return [...new Set([...listed, ...(await askServer(session, (client) => begunBy(client, sweep)))])];
}

/** Children that the last history of the sweep's workflow started, and of whose end it has not heard. */
async function begunBy(client: Client, sweep: string): Promise<string[]> {
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
    // The client gives what gRPC says here as it is.
    if (!(error instanceof WorkflowNotFoundError) && (error as { code?: unknown }).code !== NOT_FOUND)
      throw error;
  }
  return [...begun];
}

/** Those of the runs that are open, as the server itself knows them. */
async function openOf(session: Session, ids: readonly string[]): Promise<string[]> {
  const open: string[] = [];
  for (const id of ids) if (await isOpen(session, id)) open.push(id);
  return open;
}

const isOpen = (session: Session, id: string): Promise<boolean> =>
  askServer(session, async ({ workflow }) => {
    try {
      return (await workflow.getHandle(id).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  });
