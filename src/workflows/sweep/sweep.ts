import {
  CancellationScope,
  type ExternalWorkflowHandle,
  getExternalWorkflowHandle,
  setCurrentDetails,
  workflowInfo,
  type ActivityOptions,
  proxyActivities,
} from '@temporalio/workflow';
import {
  type OpenRun,
  originOf,
  type Parked,
  runWorkflowId,
  type SweepInput,
  type SweepOrigin,
  type SweepProgress,
  type SweepStatus,
} from '#protocol';
import { type ParkedSignal, proofIn } from '../arguments.js';
import { type Noting, type Troubles, untilDone } from '../calls.js';
import { shownMonth } from '../scheduler/money.js';
import { startState, numbersOf, startedRuns, type SchedulerState } from '../scheduler/state.js';
import type { SweepEvent } from '../scheduler/events.js';
import type { HostSign } from '../scheduler/signs-of-life.js';
import { sweepDetails } from '../ui.js';
import type { Activities } from '#activities';

/** A sweep's workflow. Only the loop of `runSweep` changes `state`; everything else puts events into its queue. */
export interface Sweep {
  input: SweepInput;
  /** The proof that activities verify before they write or pay for anything. */
  origin: SweepOrigin;
  state: SchedulerState;
  /**
   * The events that have not been handled yet. `of`: workflow id of the run that is meant; it may have been replaced
   * meanwhile.
   */
  queue: { event: SweepEvent; of?: string }[];
  /** When the next wait of the sweep ends, ms since the epoch; null if nothing waits for a time. */
  nextTime: number | null;
  /** The reason why the cells cannot be read. */
  failure: Error | null;
  troubles: Troubles;
  /** Number of runs that this history has started. */
  started: number;
  /** Cells whose child workflows the server has not confirmed yet. */
  starting: Set<string>;
  /** True if a new history is about to take over. */
  isHandingOver: boolean;
  /** Cancels the runs that this history has started. */
  runs: CancellationScope;
  /** Signals of runs that wait for their provider, before it is known that they come from the runs. */
  claims: (ParkedSignal & { workflowId: string })[];
  isVerifying: boolean;
  /**
   * The cells whose runs an earlier history has started, or this one before it was reset: the server does not report
   * the end of these runs to this history.
   */
  inherited: Set<string>;
  isLookingUp: boolean;
  /** Null if the sweep places no runs. */
  hosts: HostWatch | null;
}

/** The hosts of a sweep that places its runs. */
export interface HostWatch {
  /** Cancels the searches for a host. */
  searches: CancellationScope;
  isWatching: boolean;
  seen: ReadonlyMap<string, HostSign>;
  lookedAt: number;
  /** Workflow ids of the runs that are being ended because their host is lost. */
  losing: Set<string>;
}

export function createSweep(input: SweepInput): Sweep {
  const state = startState(input);
  const { watched } = input.state ?? {};
  return {
    input,
    origin: originOf({ ...input, proof: proofIn(input) }, workflowInfo().firstExecutionRunId),
    state,
    queue: [],
    nextTime: null,
    failure: null,
    troubles: new Map(),
    started: 0,
    starting: new Set(),
    isHandingOver: false,
    runs: new CancellationScope(),
    claims: [],
    isVerifying: false,
    inherited: new Set(startedRuns(state)),
    isLookingUp: false,
    hosts: state.placed
      ? {
          searches: new CancellationScope(),
          isWatching: true,
          seen: new Map(watched?.seen),
          lookedAt: watched?.lookedAt ?? Date.now(),
          losing: new Set(),
        }
      : null,
  };
}

export function enqueue(sweep: Sweep, event: SweepEvent, of?: string): void {
  sweep.queue.push(of === undefined ? { event } : { event, of });
}

/** Workflow id of the newest run of a cell. */
export function workflowIdOf({ input, state }: Pick<Sweep, 'input' | 'state'>, cell: string): string {
  const run = state.open.get(cell);
  return runWorkflowId(input.sweep, cell, input.round, run === undefined ? {} : numbersOf(run));
}

export const handleOf = (sweep: Sweep, cell: string): ExternalWorkflowHandle =>
  getExternalWorkflowHandle(workflowIdOf(sweep, cell));

export const isLosing = ({ hosts }: Sweep, workflowId: string): boolean => hosts?.losing.has(workflowId) === true;

export const statusOf = ({ state }: Sweep): SweepStatus =>
  state.cancelled ? 'cancelled' : state.paused ? 'paused' : 'running';

/** For the Web UI. */
export const show = (sweep: Sweep): void => setCurrentDetails(sweepDetails(progressOf(sweep)));

/** A sweep's answer when it is asked for its progress. */
export function progressOf(sweep: Sweep): SweepProgress {
  const { open, total, counts, money, limits, untilClear } = sweep.state;
  const all = [...open].map(([cell, run]) => ({ cell, workflowId: workflowIdOf(sweep, cell), run }));
  const parked = all.flatMap(({ cell, workflowId, run }) =>
    run.parked === null ? [] : [{ cell, workflowId, ...withoutProof(run.parked) }],
  );
  const limited = Object.values(limits);
  const troubles = [...sweep.troubles].map(([what, message]) => ({ what, message }));
  return {
    status: statusOf(sweep),
    active: all
      .filter(({ run }) => run.parked === null && run.place !== 'wanted')
      .map(({ cell, workflowId, run }) => ({ cell, workflowId, since: run.since, ...hostOf(run) })),
    total: total ?? 0,
    counts: { ...counts },
    ...(parked.length === 0 ? {} : { parked }),
    ...(money === null || money.maxUsd === null ? {} : { maxUsd: money.maxUsd, spentUsd: money.spentUsd }),
    ...(money === null ? {} : shownMonth(money)),
    ...(limited.length === 0 ? {} : { limits: limited }),
    ...(untilClear === undefined || untilClear.decision === null ? {} : { decision: untilClear.decision }),
    ...(troubles.length === 0 ? {} : { troubles }),
  };
}

/** Anyone may query the progress, but only the sweep may wake the run. */
function withoutProof(parked: Parked): Parked {
  const { wakeProof, ...shown } = parked;
  return wakeProof === undefined ? parked : shown;
}

const hostOf = ({ place }: OpenRun): { host?: string | null } =>
  place === undefined ? {} : { host: typeof place === 'object' ? place.name : null };

export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** For `quickly`. */
export const notingOf = (sweep: Sweep): Noting => ({ troubles: sweep.troubles, show: () => show(sweep) });

/** Performs an activity without which the sweep cannot continue (`untilDone`). `what` is shown if that takes long. */
export const insist = <R>(
  sweep: Sweep,
  what: string,
  call: (options: ActivityOptions) => Promise<R>,
  first?: ActivityOptions,
): Promise<R> => untilDone(what, notingOf(sweep), call, first);
