import { CancellationScope, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '#activities';
import { checkMs, LOST_SECS } from '#lib/pure';
import { cellLabel } from '#model/pure';
import {
  type CarriedSweep,
  type LostHost,
  type LostRun,
  type OpenRun,
  originOf,
  placeQueueOf,
  type RunPlace,
  runWorkflowId,
  type SweepInput,
} from '#protocol';
import { lostHosts, look, type Seen } from '../scheduler/signs-of-life.js';
import { numbersOf, placedRuns, type SchedulerState } from '../scheduler/state.js';
import { summaryOf } from '../ui.js';

/** Short, because a host that freezes or dies with one of these must not keep the sweep from noticing. */
const activities = proxyActivities<Activities>({
  startToCloseTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

/** The most runs that are ended by one activity. */
const PER_ACTIVITY = 50;

export interface Hosts {
  /** Finds a host for a run. Waits as long as all hosts are full. @throws if no host can run it, or after `stopSeeking` */
  seek: (run: OpenRun) => Promise<RunPlace>;
  /** Ends all searches; later ones begin anew. */
  stopSeeking: () => void;
  /** Notices hosts that show no sign of life, and ends their runs. Returns after `stopWatching`. */
  watch: () => Promise<void>;
  /** Begins to end no more runs. The next history continues with `watched`. */
  stopWatching: () => void;
  /** Whether runs are being ended. */
  isLosingAny: () => boolean;
  /** What the watch has seen so far, for the next history. */
  watched: () => NonNullable<CarriedSweep['watched']>;
  /** Whether the run with this workflow is being ended because its host is lost. */
  isLosing: (workflowId: string) => boolean;
}

/**
 * The hosts of a sweep that places its runs. `onLost` is called with each run whose host was lost, and with its result if
 * the host had published one.
 */
export function createHosts(
  input: SweepInput,
  state: () => SchedulerState,
  onLost: (run: OpenRun, host: LostHost, result: LostRun['result']) => void,
): Hosts {
  const { sweep, round, lostSecs = LOST_SECS } = input;
  const { taskQueue, firstExecutionRunId } = workflowInfo();
  const origin = originOf(input, firstExecutionRunId);
  let searches = new CancellationScope();
  let watching = true;
  const isWatching = (): boolean => watching;
  const { watched } = input.state ?? {};
  let seen: ReadonlyMap<string, Seen> = new Map(watched?.seen);
  let lookedAt = watched?.lookedAt ?? Date.now();
  const losing = new Set<string>();
  const idOf = (run: OpenRun): string => runWorkflowId(sweep, run.page.cell.id, round, numbersOf(run));
  const { placeCell } = proxyActivities<Activities>({
    taskQueue: placeQueueOf(taskQueue),
    startToCloseTimeout: '30 seconds',
    // A host that cannot run the cell says when it should be offered again.
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  });

  async function lose(place: RunPlace): Promise<void> {
    const host: LostHost = { id: place.host, name: place.name, at: Date.now() };
    const runs = placedRuns(state())
      .filter(({ run, place: { host: id } }) => id === host.id && !losing.has(idOf(run)))
      .map(({ run }) => run)
      .slice(0, PER_ACTIVITY);
    if (runs.length === 0) return;
    const ids = runs.map(idOf);
    for (const id of ids) losing.add(id);
    try {
      const ended = await activities.endLostRuns({
        ...{ sweep, round, host },
        runs: runs.map((run) => ({ cell: run.page.cell, ...numbersOf(run) })),
        ...origin,
      });
      for (const run of runs) {
        const { id } = run.page.cell;
        const now = state().open.get(id);
        const result = ended.find(({ cell }) => cell === id)?.result ?? null;
        if (now !== undefined && idOf(now) === idOf(run)) onLost(now, host, result);
      }
    } finally {
      for (const id of ids) losing.delete(id);
    }
    await lose(place);
  }

  return {
    seek: (run) =>
      searches.run(() => {
        const { cell } = run.page;
        return placeCell.executeWithOptions({ summary: summaryOf(`find a host for ${cellLabel(cell)}`) }, [
          { sweep, cell, round, ...numbersOf(run), ...origin },
        ]);
      }),
    stopSeeking: () => {
      searches.cancel();
      searches = new CancellationScope();
    },
    stopWatching: () => {
      watching = false;
    },
    isLosingAny: () => losing.size > 0,
    watched: () => ({ seen: [...seen], lookedAt }),
    isLosing: (workflowId) => losing.has(workflowId),
    watch: () =>
      // Also in a cancelled sweep, which waits for its runs.
      CancellationScope.nonCancellable(async () => {
        const everyMs = checkMs(lostSecs);
        while (isWatching()) {
          await condition(() => placedRuns(state()).length > 0 || !isWatching());
          // Histories may be shorter than the time between two looks.
          await condition(() => !isWatching(), Math.max(1, lookedAt + everyMs - Date.now()));
          const places = new Map(placedRuns(state()).map(({ place }) => [place.host, place]));
          if (!isWatching() || places.size === 0) continue;
          const signs = await activities.readSigns({ sweep, hosts: [...places.keys()] }).catch(() => null);
          const now = Date.now();
          if (signs !== null) seen = look(seen, signs, now - lookedAt, everyMs);
          lookedAt = now;
          for (const host of isWatching() ? lostHosts(seen, lostSecs * 1000) : []) {
            const place = places.get(host);
            if (place !== undefined) void lose(place).catch(() => undefined);
          }
        }
      }),
  };
}
