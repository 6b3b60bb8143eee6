import type { Client } from '@temporalio/client';
import type { Cell } from '../../src/results/records/cell.js';
import { QUERIES, UPDATES, type SweepProgress, type SweepStatus } from '../../src/workflows/protocol.js';
import type { SweepHandle } from './harness.js';
import type { Stubs } from './stub-activities.js';

export const progressOf = (handle: SweepHandle): Promise<SweepProgress> =>
  handle.query<SweepProgress>(QUERIES.progress);
export const update = (handle: SweepHandle, name: keyof typeof UPDATES): Promise<SweepStatus> =>
  handle.executeUpdate<SweepStatus, []>(UPDATES[name]);

/** Ids of the cells whose agents were started. */
export const ranCells = (stubs: Stubs): string[] => stubs.argsOf('runAgent').map(([run]) => run.cell.id);
export const ids = (cells: Cell[]): string[] => cells.map(({ id }) => id);
/** With what the sweep was finished. */
export const endOf = (stubs: Stubs) => stubs.argsOf('finishSweep').map(([end]) => end);

/** Histories of a sweep, the first one first. */
export async function historiesOf(client: Client, { workflowId, firstExecutionRunId }: SweepHandle) {
  const histories = [];
  for (let runId: string | undefined = firstExecutionRunId; runId !== undefined;) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    runId =
      history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}
