import type { Client } from '@temporalio/client';
import type { Cell } from '../../src/model/records/cell.js';
import { type ProvenOrder, QUERIES, UPDATES, type SweepProgress, type SweepStatus } from '../../src/protocol/index.js';
import type { SweepHandle } from './harness.js';
import type { Stubs } from './stub-activities.js';

export const progressOf = (handle: SweepHandle): Promise<SweepProgress> =>
  handle.query<SweepProgress>(QUERIES.progress);
/** Steers a sweep as a command does. */
export const update = (handle: SweepHandle, name: keyof typeof UPDATES): Promise<SweepStatus> =>
  handle.executeUpdate<SweepStatus, [ProvenOrder]>(UPDATES[name], {
    args: [{ at: Date.now(), proof: 'of a command' }],
  });

/** The ids of the cells with a started agent. */
export const ranCells = (stubs: Stubs): string[] => stubs.argsOf('runAgent').map(([run]) => run.cell.id);
export const ids = (cells: Cell[]): string[] => cells.map(({ id }) => id);
/** The arguments that the sweep was finished with. */
export const endOf = (stubs: Stubs) => stubs.argsOf('finishSweep').map(([end]) => end);

/** The histories of a sweep, from first to last. */
export async function historiesOf(client: Client, { workflowId, firstExecutionRunId }: SweepHandle) {
  const histories = [];
  for (let runId: string | undefined = firstExecutionRunId; runId !== undefined;) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}
