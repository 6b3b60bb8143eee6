import { CancellationScope, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '#activities';
import { checkMs, LOST_SECS, type LostHost, type OpenRun, placeQueueOf, type RunPlace, runWorkflowId } from '#protocol';
import { cellLabel } from '#model/pure';
import { lostHosts, updateSigns } from '../scheduler/signs-of-life.js';
import { numbersOf, placedRuns } from '../scheduler/state.js';
import { summaryOf } from '../ui.js';
import { insist, enqueue, type HostWatch, type Sweep } from './sweep.js';

/** Short, because a host that freezes or dies with one of these must not keep the sweep from noticing. */
const activities = proxyActivities<Activities>({
  startToCloseTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
});

/** A full host is asked again each second; one that cannot run the cell says when it should be offered again. */
const PLACING = {
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 300 },
} as const;

/** The most runs that are ended by one activity. */
const PER_ACTIVITY = 50;

/**
 * Finds a host for a run. Waits as long as all hosts are full.
 * @throws if no host can run it, or after `stopSeeking`
 */
export function seekHost(sweep: Sweep, run: OpenRun): Promise<RunPlace> {
  const { input, hosts, origin } = sweep;
  const { cell } = run.page;
  const { placeCell } = proxyActivities<Activities>({
    taskQueue: placeQueueOf(workflowInfo().taskQueue),
    startToCloseTimeout: '30 seconds',
  });
  const what = `find a host for ${cellLabel(cell)}`;
  const seek = (): Promise<RunPlace> =>
    insist(
      sweep,
      what,
      (options) =>
        placeCell.executeWithOptions({ ...options, summary: summaryOf(what) }, [
          { sweep: input.sweep, cell, round: input.round, ...numbersOf(run), origin },
        ]),
      PLACING,
    );
  return hosts === null ? seek() : hosts.searches.run(seek);
}

/** Ends all searches; later ones begin anew. */
export function stopSeeking({ hosts }: Sweep): void {
  if (hosts === null) return;
  hosts.searches.cancel();
  hosts.searches = new CancellationScope();
}

/** Notices hosts that show no sign of life, and ends their runs, until `isWatching` is false. */
export async function watchHosts(sweep: Sweep, hosts: HostWatch): Promise<void> {
  const { sweep: name, lostSecs = LOST_SECS } = sweep.input;
  const everyMs = checkMs(lostSecs);
  const isOver = (): boolean => !hosts.isWatching;
  for (;;) {
    await condition(() => placedRuns(sweep.state).length > 0 || isOver());
    // Histories may be shorter than the time between two looks.
    await condition(isOver, Math.max(1, hosts.lookedAt + everyMs - Date.now()));
    if (isOver()) return;
    const places = new Map(placedRuns(sweep.state).map(({ place }) => [place.host, place]));
    if (places.size === 0) continue;
    const signs = await activities.readSigns({ sweep: name, hosts: [...places.keys()] }).catch(() => null);
    const now = Date.now();
    if (signs !== null) hosts.seen = updateSigns(hosts.seen, signs, now - hosts.lookedAt, everyMs);
    hosts.lookedAt = now;
    for (const host of isOver() ? [] : lostHosts(hosts.seen, lostSecs * 1000)) {
      const place = places.get(host);
      if (place !== undefined) void loseRuns(sweep, hosts, place).catch(() => undefined);
    }
  }
}

/** Ends the runs of a lost host. Those whose result the host had published have ended with that. */
async function loseRuns(sweep: Sweep, hosts: HostWatch, place: RunPlace): Promise<void> {
  const { sweep: name, round } = sweep.input;
  const host: LostHost = { id: place.host, name: place.name, at: Date.now() };
  for (;;) {
    const runs = placedRuns(sweep.state)
      .map(({ run, place: { host: id } }) => ({ run, id, of: idIn(sweep, run) }))
      .filter(({ id, of }) => id === host.id && !hosts.losing.has(of))
      .slice(0, PER_ACTIVITY);
    if (runs.length === 0) return;
    for (const { of } of runs) hosts.losing.add(of);
    try {
      const ended = await activities.endLostRuns({
        sweep: name,
        round,
        host,
        runs: runs.map(({ run }) => ({ cell: run.page.cell, ...numbersOf(run) })),
        origin: sweep.origin,
      });
      for (const { run, of } of runs) {
        const cell = run.page.cell.id;
        const result = ended.find((one) => one.cell === cell)?.result ?? null;
        sweep.inherited.delete(cell);
        if (result === null) enqueue(sweep, { type: 'host lost', cell, host }, of);
        else enqueue(sweep, { type: 'ended', cell, outcome: result.outcome, cost: result }, of);
      }
      // Until these events are handled, the runs count as placed on this host.
      await condition(() => sweep.queue.length === 0);
    } finally {
      for (const { of } of runs) hosts.losing.delete(of);
    }
  }
}

const idIn = ({ input: { sweep, round } }: Sweep, run: OpenRun): string =>
  runWorkflowId(sweep, run.page.cell.id, round, numbersOf(run));
