import type { Step, SweepAction, SweepEvent } from './events.js';
import { nextAction } from './next-action.js';
import { type SchedulerState, accountOf, incarnationOf, withLimit } from './state.js';
import { assertNever, defined } from '#lib/pure';
import type { LostHost, OpenRun, Parked, ProviderLimit } from '#protocol';
import { afterRun, type Cost, withReadMonth, withUsedMonth } from './money.js';
import { withDecision, withPage } from './reading.js';

/** The number of hosts that a run may lose before it is given up: it may be the run that makes them fail. */
const MAX_HOSTS = 3;

/** Maximum number of lost cells whose reasons are kept; more would exceed Temporal's payload limit. */
const LOST_REASONS = 200;

/** Returns the state after an event, which may make actions possible. `now`: ms since the epoch. */
function applyEvent(state: SchedulerState, event: SweepEvent, now: number): SchedulerState {
  switch (event.type) {
    case 'loaded':
      return withPage(state, event.page, event.wanted);
    case 'decided':
      return withDecision(state, event.decided);
    case 'month read':
      return { ...state, money: state.money === null ? null : withReadMonth(state.money, event.month) };
    case 'ended':
      return withoutRun(state, event);
    case 'parked':
      return withParked(state, event.cell, event.parked);
    case 'begun':
      return { ...state, starting: without(state.starting, event.cell) };
    case 'placed':
      return withPlace(state, event.cell, event.place);
    case 'not placed':
      return withPlace(state, event.cell, 'wanted');
    case 'host lost':
      return withoutHost(state, event.cell, event.host);
    case 'ordered':
      return { ...state, lastOrderAt: event.at };
    case 'paused':
      return { ...state, paused: true };
    case 'resumed':
      return { ...state, paused: false };
    case 'cancelled':
      return { ...state, cancelled: true };
    case 'held':
      return { ...state, held: true };
    case 'failed':
      return { ...state, failure: event.message, loading: false };
    case 'waits skipped':
      return { ...state, limits: {}, open: mapRuns(state, (run) => dueBy(run, now)) };
    case 'time':
      return state;
    default:
      return assertNever(event);
  }
}

/** The end of a run whose workflow failed, was terminated or was cancelled. */
export function endWithoutResult(
  { page, since }: Pick<OpenRun, 'page' | 'since'>,
  cancelled: boolean,
  message: string,
  cost: Cost,
): Extract<SweepEvent, { type: 'ended' }> {
  const cell = page.cell.id;
  if (cancelled) return { type: 'ended', cell, outcome: 'cancelled', cost };
  const lost = {
    cell,
    message: `the run's workflow did not complete: ${message}`,
    since,
    ...defined({ redo: page.redo }),
  };
  return { type: 'ended', cell, outcome: 'error', cost, lost };
}

function withoutRun(
  state: SchedulerState,
  { cell, outcome, cost, lost }: Extract<SweepEvent, { type: 'ended' }>,
): SchedulerState {
  const run = state.open.get(cell);
  if (run === undefined) return state;
  const open = new Map(state.open);
  open.delete(cell);
  return {
    ...state,
    open,
    starting: without(state.starting, cell),
    counts: { ...state.counts, [outcome]: state.counts[outcome] + 1 },
    lost: lost === undefined || state.lost.length >= LOST_REASONS ? state.lost : [...state.lost, lost],
    money: state.money === null ? null : afterRun(state.money, run.page.cell, cost, lost === undefined),
  };
}

/** Parks a run that waits for its provider. If an account's limit is the reason, its new cells wait too. */
function withParked(state: SchedulerState, cell: string, parked: Parked): SchedulerState {
  const run = state.open.get(cell);
  // The server repeats the signals to a sweep that was reset, and a wake for an earlier wait would have no effect.
  if (run === undefined || (run.parked?.nth ?? 0) > parked.nth) return state;
  const open = new Map(state.open).set(cell, { ...run, parked });
  const account = accountOf(parked);
  if (parked.why !== 'limit' || account === null) return { ...state, open };
  const limit: ProviderLimit = {
    provider: parked.provider ?? account,
    until: parked.until,
    ...defined({ account: parked.account }),
  };
  return { ...state, open, limits: withLimit(state.limits, limit) };
}

const withPlace = (state: SchedulerState, cell: string, place: NonNullable<OpenRun['place']>): SchedulerState => {
  const run = state.open.get(cell);
  return run === undefined ? state : { ...state, open: new Map(state.open).set(cell, { ...run, place }) };
};

/** A run that lost its host starts over. Its earlier wait is void. */
function withoutHost(state: SchedulerState, cell: string, host: LostHost): SchedulerState {
  const run = state.open.get(cell);
  if (run === undefined) return state;
  if (!state.cancelled && incarnationOf(run) >= MAX_HOSTS) {
    const message = `its hosts were lost ${MAX_HOSTS} times, at last ${host.name}`;
    return withoutRun(state, endWithoutResult(run, false, message, { costUsd: null }));
  }
  const again: OpenRun = {
    ...run,
    parked: null,
    place: 'wanted',
    lostHosts: [...(run.lostHosts ?? []), host],
  };
  // Its spending is unknown, but a budget must not forget it.
  const spent: Cost = { costUsd: null, knownUsd: run.estimateUsd ?? 0 };
  return {
    ...state,
    open: new Map(state.open).set(cell, again),
    money: state.money === null ? null : afterRun(state.money, run.page.cell, spent, false),
  };
}

const dueBy = (run: OpenRun, now: number): OpenRun =>
  run.parked === null ? run : { ...run, parked: { ...run.parked, until: Math.min(run.parked.until, now) } };

const without = (cells: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  cells.has(one) ? new Set([...cells].filter((cell) => cell !== one)) : cells;

const mapRuns = ({ open }: SchedulerState, change: (run: OpenRun) => OpenRun): Map<string, OpenRun> =>
  new Map([...open].map(([cell, run]) => [cell, change(run)]));

/**
 * Returns the state after an event, and what to do now. The total, per-agent and per-model caps apply to runs that
 * work. A run that waits for its provider holds no slot; once it is due and a slot is free, it is woken before any new
 * cell is started. Agents take turns, and so do the models of an agent. `now`: ms since the epoch.
 */
export function reduce(before: SchedulerState, event: SweepEvent, now: number): Step {
  let state = withoutHopeless(withoutPassedLimits(applyEvent(before, event, now), now), now);
  const actions: SweepAction[] = [];
  if (state.placed && (event.type === 'paused' || event.type === 'cancelled')) actions.push({ type: 'stop seeking' });
  if (event.type === 'cancelled') actions.push({ type: 'cancel runs' });
  for (let next = nextAction(state, now); next !== null; next = nextAction(state, now)) {
    state = next.state;
    actions.push(...next.actions);
  }
  if (state.money !== null) state = { ...state, money: withUsedMonth(state.money) };
  return { state, actions };
}

function withoutPassedLimits(state: SchedulerState, now: number): SchedulerState {
  const open = Object.entries(state.limits).filter(([, { until }]) => until > now);
  return { ...state, limits: Object.fromEntries(open) };
}

/** Fails the runs that still wait for a host, because they will not get one. */
function withoutHopeless(state: SchedulerState, now: number): SchedulerState {
  if (!state.cancelled && state.failure === null) return state;
  return [...state.open.values()]
    .filter(({ place }) => place === 'wanted')
    .map((run) => endWithoutResult(run, state.cancelled, state.failure ?? '', { costUsd: null }))
    .reduce((rest, end) => applyEvent(rest, end, now), state);
}
