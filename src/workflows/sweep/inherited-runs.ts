import { CancellationScope, sleep, type SignalDefinition } from '@temporalio/workflow';
import type { EndedRun } from '#protocol';
import { announceEnd } from '../announce-end.js';
import type { SweepEvent } from '../scheduler/events.js';
import { startedRuns, type SchedulerState } from '../scheduler/state.js';
import { tellParked } from '../wait-for-provider.js';
import { activities } from './activities.js';
import { endWithoutResult } from './end-without-result.js';

/** How often these runs are looked up, ms. A run that is terminated announces nothing. */
const LOOK_UP_MS = 60_000;

/**
 * The runs that an earlier history of a sweep started, or this one before it was reset: the server does not report their end to
 * this one.
 */
export interface InheritedRuns {
  has: (cell: string) => boolean;
  /** The cells whose runs have not ended. */
  open: () => string[];
  /** This history starts a run of the cell itself. */
  forget: (cell: string) => void;
  /** Takes over an open run that this history has not started. */
  adopt: (cell: string) => void;
  /** Returns the end of a cell's run; null if it is open. */
  endOf: (cell: string) => Promise<EndedRun | null>;
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
  ask: (cell: string, signal: SignalDefinition) => Promise<void>;
}

export function createInheritedRuns({
  sweep,
  state,
  workflowIdOf,
  isLosing,
  dispatch,
  ask,
}: Sweep): InheritedRuns {
  const inherited = new Set(startedRuns(state()));
  const isOpen = (cell: string): boolean => state().open.has(cell);

  /** Also in a cancelled sweep, which waits for its runs. */
  const findEnded = (cells: readonly string[], waitMs: number): Promise<EndedRun[]> =>
    CancellationScope.nonCancellable(() =>
      activities.findEndedRuns({
        sweep,
        runs: cells.map((cell) => ({ cell, workflowId: workflowIdOf(cell) })),
        waitMs,
      }),
    );

  async function lookUp(cells: readonly string[], waitMs: number): Promise<void> {
    const wanted = cells.filter((cell) => inherited.has(cell) && isOpen(cell));
    if (wanted.length === 0) return;
    const ended = await findEnded(wanted, waitMs);
    // Meanwhile, some may have lost their hosts.
    const isMeant = (cell: string): boolean => inherited.has(cell) && !isLosing(workflowIdOf(cell));
    for (const { cell, result, cancelled, message, knownUsd } of ended) {
      const run = state().open.get(cell);
      if (run === undefined || !isMeant(cell)) continue;
      if (result !== null) dispatch({ type: 'ended', cell, outcome: result.outcome, cost: result });
      else dispatch(endWithoutResult(run, cancelled, message, { costUsd: null, knownUsd: knownUsd ?? 0 }));
    }
  }

  let isWatching = false;
  async function watch(): Promise<void> {
    if (isWatching) return;
    isWatching = true;
    while ([...inherited].some(isOpen)) {
      await CancellationScope.nonCancellable(() => sleep(LOOK_UP_MS));
      await lookUp([...inherited], 0);
    }
    isWatching = false;
  }

  return {
    has: (cell) => inherited.has(cell),
    open: () => [...inherited].filter(isOpen),
    forget: (cell) => {
      inherited.delete(cell);
    },
    adopt: (cell) => {
      inherited.add(cell);
      // If it has closed meanwhile, its end is found by the next look.
      void Promise.all([ask(cell, announceEnd), ask(cell, tellParked)]).catch(() => lookUp([cell], 0));
      void watch().catch(() => undefined);
    },
    endOf: async (cell) => (await findEnded([cell], 0))[0] ?? null,
    lookUp,
    watch,
  };
}
