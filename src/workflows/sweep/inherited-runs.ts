import { CancellationScope, sleep } from '@temporalio/workflow';
import type { SweepEvent } from '../scheduler/events.js';
import { startedRuns, type SchedulerState } from '../scheduler/state.js';
import { activities } from './activities.js';
import { endWithoutResult } from './end-without-result.js';

/** How often these runs are looked up, ms. A run that is terminated announces nothing. */
const LOOK_UP_MS = 60_000;

/** The runs that an earlier history of a sweep started: the server does not report their end to this one. */
export interface InheritedRuns {
  has: (cell: string) => boolean;
  /** The cells whose runs have not ended. */
  open: () => string[];
  /** This history starts a run of the cell itself. */
  forget: (cell: string) => void;
  /** Asks the server whether the runs of these cells have ended. `waitMs`: how long to wait for open ones. */
  lookUp: (cells: readonly string[], waitMs: number) => Promise<void>;
  /** Looks them up again and again, until all have ended. */
  watch: () => Promise<void>;
}

interface Sweep {
  sweep: string;
  state: () => SchedulerState;
  workflowIdOf: (cell: string) => string;
  /** Whether a run is being ended because its host is lost. */
  isLosing: (workflowId: string) => boolean;
  dispatch: (event: SweepEvent) => void;
}

export function createInheritedRuns({
  sweep,
  state,
  workflowIdOf,
  isLosing,
  dispatch,
}: Sweep): InheritedRuns {
  const inherited = new Set(startedRuns(state()));
  const isOpen = (cell: string): boolean => state().open.has(cell);

  async function lookUp(cells: readonly string[], waitMs: number): Promise<void> {
    const wanted = cells.filter((cell) => inherited.has(cell) && isOpen(cell));
    if (wanted.length === 0) return;
    // Also in a cancelled sweep, which waits for its runs.
    const ended = await CancellationScope.nonCancellable(() =>
      activities.findEndedRuns({
        sweep,
        runs: wanted.map((cell) => ({ cell, workflowId: workflowIdOf(cell) })),
        waitMs,
      }),
    );
    // Meanwhile, some may have lost their hosts.
    const isMeant = (cell: string): boolean => inherited.has(cell) && !isLosing(workflowIdOf(cell));
    for (const { cell, result, cancelled, message, knownUsd } of ended) {
      const run = state().open.get(cell);
      if (run === undefined || !isMeant(cell)) continue;
      if (result !== null) dispatch({ type: 'ended', cell, outcome: result.outcome, cost: result });
      else dispatch(endWithoutResult(run, cancelled, message, { costUsd: null, knownUsd: knownUsd ?? 0 }));
    }
  }

  return {
    has: (cell) => inherited.has(cell),
    open: () => [...inherited].filter(isOpen),
    forget: (cell) => {
      inherited.delete(cell);
    },
    lookUp,
    watch: async () => {
      while ([...inherited].some(isOpen)) {
        await CancellationScope.nonCancellable(() => sleep(LOOK_UP_MS));
        await lookUp([...inherited], 0);
      }
    },
  };
}
