import { assertNever } from '../../lib/assert-never.js';
import type { Outcome } from '../../results/records/result-line.js';
import type {
  CellKind,
  CellPage,
  DecideInput,
  Decided,
  LostCell,
  LostHost,
  OpenRun,
  PageCell,
  Parked,
  ProviderLimit,
  RunPlace,
} from '../protocol.js';
import { hasRoom, isCrowded, isHeldBack } from './may-start.js';
import { admission, afterRun, estimateOf, type Cost } from './money.js';
import { nextToRead, withDecision, withPage, type Wanted } from './reading.js';
import {
  accountOf,
  isUndecided,
  kindKey,
  kindOf,
  modelKey,
  workingRuns,
  type Queue,
  type SchedulerState,
  type WaitingCell,
} from './state.js';
import { withLimit } from './with-limit.js';

export type SweepEvent =
  | { type: 'loaded'; page: CellPage; wanted: Wanted }
  | { type: 'decided'; decided: Decided }
  | { type: 'ended'; cell: string; outcome: Outcome; cost: Cost; lost?: LostCell }
  | { type: 'parked'; cell: string; parked: Parked }
  /** The server has started the run. */
  | { type: 'begun'; cell: string }
  | { type: 'placed'; cell: string; place: RunPlace }
  /** The search for a host has ended without one, because a new history takes over. */
  | { type: 'not placed'; cell: string }
  | { type: 'host lost'; cell: string; host: LostHost }
  /** An order with a proof was accepted. */
  | { type: 'ordered'; at: number }
  | { type: 'paused' }
  | { type: 'resumed' }
  | { type: 'cancelled' }
  /** A user ended all waits: limits are dropped, and waiting runs are due now. */
  | { type: 'waits skipped' }
  /** No more cells are started: a new history takes over, or the cells cannot be read. */
  | { type: 'held' }
  /** The time of a wait has come. */
  | { type: 'time' };

export type SweepAction =
  | { type: 'start'; cell: PageCell }
  /** Find a host for a run, and start it there. */
  | { type: 'place'; run: OpenRun }
  | { type: 'wake'; cell: string; parked: Parked }
  | { type: 'load'; wanted: Wanted }
  /** Look at the results, and decide which cells are released next. */
  | { type: 'decide'; known: Pick<DecideInput, 'isFirst' | 'isLast' | 'released'> };

export interface Step {
  state: SchedulerState;
  actions: readonly SweepAction[];
}

/**
 * How many runs the server may be asked to start at once. It starts them in any order: on a busy server, one of many
 * waits for minutes, and a new history of the sweep has to wait for all.
 */
export const MOST_STARTING = 8;
/** Maximum number of lost cells whose reasons are kept; more would exceed Temporal's payload limit. */
const LOST_REASONS = 200;

/**
 * Returns the state after an event, and what to do now. The total, per-agent and per-model caps apply to runs that
 * work. A run that waits for its provider holds no slot; once it is due and a slot is free, it is woken before any new
 * cell is started. Agents take turns, and so do the models of an agent. `now`: ms since the epoch.
 */
export function reduce(before: SchedulerState, event: SweepEvent, now: number): Step {
  let state = withoutPassedLimits(apply(before, event, now), now);
  const actions: SweepAction[] = [];
  for (let next = decide(state, now); next !== null; next = decide(state, now)) {
    state = next.state;
    actions.push(...next.actions);
  }
  return { state, actions };
}

function apply(state: SchedulerState, event: SweepEvent, now: number): SchedulerState {
  switch (event.type) {
    case 'loaded':
      return withPage(state, event.page, event.wanted);
    case 'decided':
      return withDecision(state, event.decided);
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
    case 'waits skipped':
      return { ...state, limits: {}, open: mapRuns(state, (run) => dueBy(run, now)) };
    case 'time':
      return state;
    default:
      return assertNever(event);
  }
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
    money: state.money === null ? null : afterRun(state.money, run.page.cell, cost),
  };
}

/** Parks a run that waits for its provider. If an account's limit is the reason, its new cells wait too. */
function withParked(state: SchedulerState, cell: string, parked: Parked): SchedulerState {
  const run = state.open.get(cell);
  if (run === undefined) return state;
  const open = new Map(state.open).set(cell, { ...run, parked });
  const account = accountOf(parked);
  if (parked.why !== 'limit' || account === null) return { ...state, open };
  const limit: ProviderLimit = {
    provider: parked.provider ?? account,
    until: parked.until,
    ...(parked.account === undefined ? {} : { account: parked.account }),
  };
  return { ...state, open, limits: withLimit(state.limits, limit) };
}

const withPlace = (
  state: SchedulerState,
  cell: string,
  place: NonNullable<OpenRun['place']>,
): SchedulerState => {
  const run = state.open.get(cell);
  return run === undefined ? state : { ...state, open: new Map(state.open).set(cell, { ...run, place }) };
};

/** A run that lost its host is done again from its beginning, and waits for nothing that it waited for before. */
function withoutHost(state: SchedulerState, cell: string, host: LostHost): SchedulerState {
  const run = state.open.get(cell);
  if (run === undefined) return state;
  const again: OpenRun = {
    ...run,
    parked: null,
    place: 'wanted',
    lostHosts: [...(run.lostHosts ?? []), host],
  };
  // What it has spent is unknown, but a budget must not forget it.
  const spent: Cost = { costUsd: null, knownUsd: run.estimateUsd ?? 0 };
  return {
    ...state,
    open: new Map(state.open).set(cell, again),
    money: state.money === null ? null : afterRun(state.money, run.page.cell, spent),
  };
}

const dueBy = (run: OpenRun, now: number): OpenRun =>
  run.parked === null ? run : { ...run, parked: { ...run.parked, until: Math.min(run.parked.until, now) } };

const without = (cells: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  cells.has(one) ? new Set([...cells].filter((cell) => cell !== one)) : cells;

const mapRuns = ({ open }: SchedulerState, change: (run: OpenRun) => OpenRun): Map<string, OpenRun> =>
  new Map([...open].map(([cell, run]) => [cell, change(run)]));

function withoutPassedLimits(state: SchedulerState, now: number): SchedulerState {
  const open = Object.entries(state.limits).filter(([, { until }]) => until > now);
  return { ...state, limits: Object.fromEntries(open) };
}

/** The next action and the state after it; null if there is nothing to do now. */
function decide(state: SchedulerState, now: number): Step | null {
  if (state.paused || state.cancelled) return null;
  const isFull = workingRuns(state).length >= state.caps.total;
  if (isFull) return state.held || state.scheduler === 2 ? null : loadNext(state);
  const wake = wakeNext(state, now);
  return (
    wake ??
    (state.held ? null : (placeAgain(state) ?? startNext(state, now) ?? loadNext(state) ?? decideNext(state)))
  );
}

/** Seeks another host for a run that lost its own, or whose search was interrupted. */
function placeAgain(state: SchedulerState): Step | null {
  for (const [cell, run] of state.open) {
    const { cell: of } = run.page;
    if (run.place !== 'wanted' || !hasRoom(state, of) || isCrowded(state, of)) continue;
    const sought: OpenRun = { ...run, place: 'being sought' };
    return {
      state: { ...state, open: new Map(state.open).set(cell, sought) },
      actions: [{ type: 'place', run: sought }],
    };
  }
  return null;
}

/** Wakes the run that has been due for the longest time. */
function wakeNext(state: SchedulerState, now: number): Step | null {
  const due = [...state.open]
    .flatMap(([cell, run]) => (run.parked === null ? [] : [{ cell, run, parked: run.parked }]))
    .filter(({ run: { page }, parked }) => {
      const account = accountOf(parked);
      const limited = account !== null && state.limits[account] !== undefined;
      return parked.until <= now && !limited && hasRoom(state, page.cell);
    })
    .sort((a, b) => a.parked.until - b.parked.until);
  const [first] = due;
  if (first === undefined) return null;
  const open = new Map(state.open).set(first.cell, { ...first.run, parked: null });
  return { state: { ...state, open }, actions: [{ type: 'wake', cell: first.cell, parked: first.parked }] };
}

/** Starts the cell whose turn it is, or leaves it out if the budget has no room for it. */
function startNext(state: SchedulerState, now: number): Step | null {
  const { turns, money, starting } = state;
  if (starting.size >= MOST_STARTING) return null;
  const lastTurn = ({ agent, model }: Queue): [number, number] => [
    turns.agents[agent] ?? 0,
    turns.models[modelKey(agent, model)] ?? 0,
  ];
  const candidates = state.queues
    .filter((queue) => hasRoom(state, queue) && !isCrowded(state, queue))
    .sort((a, b) => {
      const [ofA, ofB] = [lastTurn(a), lastTurn(b)];
      return ofA[0] - ofB[0] || ofA[1] - ofB[1];
    });
  const estimates = [...state.open.values()].map(({ estimateUsd }) => estimateUsd);
  // Thousands of cells of an account may wait.
  const heldBack = new Map<string, boolean>();
  const mustWait = (kind: CellKind): boolean => {
    const key = kindKey(kind);
    const found = heldBack.get(key) ?? isHeldBack(state, kind);
    heldBack.set(key, found);
    return found;
  };
  for (const queue of candidates) {
    for (const page of queue.cells) {
      if (mustWait(kindOf(page))) continue;
      const admitted = money === null ? 'start' : admission(money, estimates, page);
      if (admitted === 'start') return started(state, queue, page, now);
      if (admitted === 'never') return leftOut(state, queue, page);
    }
  }
  return null;
}

function started(state: SchedulerState, queue: Queue, page: WaitingCell, now: number): Step {
  const { agent, model } = queue;
  const { next, agents, models } = state.turns;
  const isAwaited = state.scheduler === 3 && !state.placed;
  const run: OpenRun = {
    page,
    since: now,
    estimateUsd: state.money === null ? null : estimateOf(state.money, page),
    parked: null,
    ...(state.placed ? { place: 'being sought' } : {}),
  };
  return {
    state: {
      ...state,
      queues: dequeue(state.queues, queue, page),
      open: new Map(state.open).set(page.cell.id, run),
      ...(isAwaited ? { starting: new Set(state.starting).add(page.cell.id) } : {}),
      turns: {
        next: next + 1,
        agents: { ...agents, [agent]: next },
        models: { ...models, [modelKey(agent, model)]: next },
      },
    },
    actions: [state.placed ? { type: 'place', run } : { type: 'start', cell: page }],
  };
}

function leftOut(state: SchedulerState, queue: Queue, page: WaitingCell): Step {
  const { money, counts } = state;
  return {
    state: {
      ...state,
      queues: dequeue(state.queues, queue, page),
      counts: { ...counts, error: counts.error + 1 },
      money: money === null ? null : { ...money, unaffordable: money.unaffordable + 1 },
    },
    actions: [],
  };
}

/** Removes a cell from its queue, and the queue if it is now empty. */
const dequeue = (queues: readonly Queue[], from: Queue, page: WaitingCell): Queue[] =>
  queues.flatMap((queue) => {
    if (queue !== from) return [queue];
    const cells = queue.cells.filter((other) => other !== page);
    return cells.length === 0 ? [] : [{ ...queue, cells }];
  });

/** Loads more cells. */
function loadNext(state: SchedulerState): Step | null {
  const wanted = nextToRead(state);
  return wanted === null ? null : { state: { ...state, loading: true }, actions: [{ type: 'load', wanted }] };
}

/** Has it decided which cells are released next, once those that were released have ended. */
function decideNext(state: SchedulerState): Step | null {
  const { untilClear, money } = state;
  if (untilClear === undefined || !isUndecided(state)) return null;
  const known = {
    isFirst: untilClear.decision === null,
    isLast: money !== null && money.unaffordable > 0,
    released: untilClear.released,
  };
  return { state: { ...state, loading: true }, actions: [{ type: 'decide', known }] };
}
