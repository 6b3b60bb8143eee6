import { assertNever } from '../../lib/assert-never.js';
import type { Outcome } from '../../results/records/result-line.js';
import type {
  CellPage,
  LostCell,
  LostHost,
  OpenRun,
  PageCell,
  Parked,
  ProviderLimit,
  RunPlace,
} from '../protocol.js';
import { admission, afterRun, estimateOf, withEarlierCosts, type Cost } from './money.js';
import {
  accountOf,
  allRead,
  modelKey,
  workingRuns,
  type Queue,
  type SchedulerState,
  type WaitingCell,
} from './state.js';

export type SweepEvent =
  | { type: 'loaded'; page: CellPage; wanted: Wanted }
  | { type: 'ended'; cell: string; outcome: Outcome; cost: Cost; lost?: LostCell }
  | { type: 'parked'; cell: string; parked: Parked }
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

/** Which cells to read next: those at `positions`, or a page that begins at `offset`. */
export type Wanted = { positions: readonly number[] } | { offset: number };

export type SweepAction =
  | { type: 'start'; cell: PageCell }
  /** Find a host for a run, and start it there. */
  | { type: 'place'; run: OpenRun }
  | { type: 'wake'; cell: string; parked: Parked }
  | { type: 'load'; wanted: Wanted };

export interface Step {
  state: SchedulerState;
  actions: readonly SweepAction[];
}

/** Cells per page: the whole matrix never crosses Temporal. */
export const PAGE = 100;
/**
 * How many runs of an agent and model may seek a host at once. If the hosts that could run them are full, other agents
 * can still use the rest of the sweep's slots.
 */
const MOST_SEEKING = 4;
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
    case 'ended':
      return withoutRun(state, event);
    case 'parked':
      return withParked(state, event.cell, event.parked);
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

function withPage(state: SchedulerState, page: CellPage, wanted: Wanted): SchedulerState {
  const { cells, total } = page;
  const counts = { ...state.counts };
  // Cells read again by position were counted when an earlier history first read them.
  const money =
    state.money !== null && 'offset' in wanted ? withEarlierCosts(state.money, page) : state.money;
  let queues = state.queues;
  for (const [index, one] of cells.entries()) {
    if (one.finished !== null) counts[one.finished] += 1;
    else if (!state.open.has(one.cell.id)) {
      const position = 'offset' in wanted ? wanted.offset + index : (wanted.positions[index] ?? 0);
      queues = enqueue(queues, { ...one, position });
    }
  }
  const read =
    'offset' in wanted
      ? { offset: wanted.offset + cells.length }
      : { reread: state.reread.filter((position) => !wanted.positions.includes(position)) };
  const limits = (page.limits ?? []).reduce(withLimit, state.limits);
  return { ...state, ...read, counts, money, queues, limits, total, loading: false };
}

/** Adds the limit of an account. Of two, the later one counts. */
function withLimit(limits: SchedulerState['limits'], limit: ProviderLimit): SchedulerState['limits'] {
  const account = limit.account ?? limit.provider;
  return { ...limits, [account]: { ...limit, until: Math.max(limit.until, limits[account]?.until ?? 0) } };
}

function enqueue(queues: readonly Queue[], page: WaitingCell): readonly Queue[] {
  const { agent, model } = page.cell;
  const index = queues.findIndex((queue) => queue.agent === agent && queue.model === model);
  if (index === -1) return [...queues, { agent, model, cells: [page] }];
  return queues.map((queue, at) => (at === index ? { ...queue, cells: [...queue.cells, page] } : queue));
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
  return { ...state, open: new Map(state.open).set(cell, again) };
}

const dueBy = (run: OpenRun, now: number): OpenRun =>
  run.parked === null ? run : { ...run, parked: { ...run.parked, until: Math.min(run.parked.until, now) } };

const mapRuns = ({ open }: SchedulerState, change: (run: OpenRun) => OpenRun): Map<string, OpenRun> =>
  new Map([...open].map(([cell, run]) => [cell, change(run)]));

function withoutPassedLimits(state: SchedulerState, now: number): SchedulerState {
  const open = Object.entries(state.limits).filter(([, { until }]) => until > now);
  return { ...state, limits: Object.fromEntries(open) };
}

/** The next action and the state after it; null if there is nothing to do now. */
function decide(state: SchedulerState, now: number): Step | null {
  if (state.paused || state.cancelled || workingRuns(state).length >= state.caps.total) return null;
  const wake = wakeNext(state, now);
  return wake ?? (state.held ? null : (placeAgain(state) ?? startNext(state, now) ?? loadNext(state)));
}

/** Seeks another host for a run that lost its own, or whose search was interrupted. */
function placeAgain(state: SchedulerState): Step | null {
  for (const [cell, run] of state.open) {
    if (run.place !== 'wanted' || !hasRoom(state, run.page.cell.agent, run.page.cell.model)) continue;
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
      return parked.until <= now && !limited && hasRoom(state, page.cell.agent, page.cell.model);
    })
    .sort((a, b) => a.parked.until - b.parked.until);
  const [first] = due;
  if (first === undefined) return null;
  const open = new Map(state.open).set(first.cell, { ...first.run, parked: null });
  return { state: { ...state, open }, actions: [{ type: 'wake', cell: first.cell, parked: first.parked }] };
}

/** Starts the cell whose turn it is, or leaves it out if the budget has no room for it. */
function startNext(state: SchedulerState, now: number): Step | null {
  const { turns, money } = state;
  const lastTurn = ({ agent, model }: Queue): [number, number] => [
    turns.agents[agent] ?? 0,
    turns.models[modelKey(agent, model)] ?? 0,
  ];
  const candidates = state.queues
    .filter(({ agent, model }) => hasRoom(state, agent, model) && !isCrowded(state, agent, model))
    .sort((a, b) => {
      const [ofA, ofB] = [lastTurn(a), lastTurn(b)];
      return ofA[0] - ofB[0] || ofA[1] - ofB[1];
    });
  const estimates = [...state.open.values()].map(({ estimateUsd }) => estimateUsd);
  for (const queue of candidates) {
    for (const page of queue.cells) {
      if (isHeldBack(state, page)) continue;
      const admitted = money === null ? 'start' : admission(money, estimates, page);
      if (admitted === 'start') return started(state, queue, page, now);
      if (admitted === 'never') return leftOut(state, queue, page);
    }
  }
  return null;
}

/**
 * Whether the cell must wait for its account. An account that has reached a limit holds back all its cells. One that is
 * merely busy would park run after run, each with a workspace, so it gets no new cell once two runs per slot are
 * parked.
 */
function isHeldBack({ limits, open, caps }: SchedulerState, page: PageCell): boolean {
  const account = accountOf(page);
  if (account !== null && limits[account] !== undefined) return true;
  const parked = [...open.values()].filter(
    (run) =>
      run.parked !== null &&
      (account === null ? run.page.cell.agent === page.cell.agent : accountOf(run.page) === account),
  );
  return parked.length >= 2 * caps.total;
}

function hasRoom(state: SchedulerState, agent: string, model: string): boolean {
  const working = workingRuns(state).map(({ page }) => page.cell);
  const ofAgent = working.filter((cell) => cell.agent === agent).length;
  const ofModel = working.filter((cell) => cell.model === model).length;
  const { total, agents, models } = state.caps;
  return (
    working.length < total && ofAgent < (agents[agent] ?? Infinity) && ofModel < (models[model] ?? Infinity)
  );
}

/** Whether so many runs of an agent and model seek a host that no further one is started. */
const isCrowded = ({ open }: SchedulerState, agent: string, model: string): boolean =>
  [...open.values()].filter(
    ({ place, page: { cell } }) => place === 'being sought' && cell.agent === agent && cell.model === model,
  ).length >= MOST_SEEKING;

function started(state: SchedulerState, queue: Queue, page: WaitingCell, now: number): Step {
  const { agent, model } = queue;
  const { next, agents, models } = state.turns;
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

/** Loads more cells. Called when there is room and none of the cells already read can be started. */
function loadNext(state: SchedulerState): Step | null {
  if (state.loading || allRead(state)) return null;
  const wanted =
    state.reread.length > 0 ? { positions: state.reread.slice(0, PAGE) } : { offset: state.offset };
  return { state: { ...state, loading: true }, actions: [{ type: 'load', wanted }] };
}
