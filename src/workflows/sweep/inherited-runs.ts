import { CancellationScope, sleep } from '@temporalio/workflow';
import type { EndedRun } from '#protocol';
import { announceEnd } from '../announce-end.js';
import { endWithoutResult } from '../scheduler/reduce.js';
import { tellParked } from '../wait-for-provider.js';
import { activities, insist, enqueue, handleOf, isLosing, type Sweep, workflowIdOf } from './sweep.js';

/** The interval at which these runs are looked up, ms. A run that is terminated announces nothing. */
const LOOK_UP_MS = 60_000;

/** The cells whose inherited runs have not ended. */
const openInherited = ({ inherited, state }: Sweep): string[] => [...inherited].filter((cell) => state.open.has(cell));

/** Asks the server which runs have ended. Not cancellable, because a cancelled sweep waits for its runs. */
export const findEnded = (sweep: Sweep, cells: readonly string[], waitMs: number): Promise<EndedRun[]> =>
  CancellationScope.nonCancellable(() =>
    insist(sweep, 'find out which runs have ended', (options) =>
      activities.findEndedRuns.executeWithOptions(options, [
        {
          sweep: sweep.input.sweep,
          runs: cells.map((cell) => ({ cell, workflowId: workflowIdOf(sweep, cell) })),
          waitMs,
        },
      ]),
    ),
  );

/** Asks the server whether the inherited runs of these cells have ended. `waitMs`: how long to wait for open ones. */
export async function lookUp(sweep: Sweep, cells: readonly string[], waitMs: number): Promise<void> {
  const open = new Set(openInherited(sweep));
  const wanted = cells.filter((cell) => open.has(cell));
  if (wanted.length === 0) return;
  const ids = new Map(wanted.map((cell) => [cell, workflowIdOf(sweep, cell)]));
  for (const { cell, result, cancelled, message, knownUsd } of await findEnded(sweep, wanted, waitMs)) {
    const run = sweep.state.open.get(cell);
    const workflowId = ids.get(cell) ?? '';
    // Meanwhile, it may have lost its host.
    if (run === undefined || !sweep.inherited.has(cell) || isLosing(sweep, workflowId)) continue;
    const event =
      result === null
        ? endWithoutResult(run, cancelled, message, { costUsd: null, knownUsd: knownUsd ?? 0 })
        : ({ type: 'ended', cell, outcome: result.outcome, cost: result } as const);
    enqueue(sweep, event, workflowId);
  }
}

/** Polls all of them until they have ended. */
export async function watchInherited(sweep: Sweep): Promise<void> {
  if (sweep.isLookingUp) return;
  sweep.isLookingUp = true;
  while (openInherited(sweep).length > 0) {
    await CancellationScope.nonCancellable(() => sleep(LOOK_UP_MS));
    await lookUp(sweep, [...sweep.inherited], 0);
  }
  sweep.isLookingUp = false;
}

/** Takes over an open run that this history has not started. */
export function adopt(sweep: Sweep, cell: string): void {
  sweep.inherited.add(cell);
  const run = handleOf(sweep, cell);
  // If it has closed meanwhile, its end is found by the next look.
  void Promise.all([run.signal(announceEnd), run.signal(tellParked)]).catch(() => lookUp(sweep, [cell], 0));
  void watchInherited(sweep).catch(() => undefined);
}
