import { assertNever, ownValue } from '#lib/pure';
import type { CellKind, OpenRun } from '#protocol';
import type { Step } from './events.js';
import { hasRoom, isCrowded, isHeldBack } from './may-start.js';
import { admission, estimateOf, withMonth, withoutCell } from './money.js';
import { nextToRead } from './reading.js';
import {
  accountOf,
  isUndecided,
  kindKey,
  cellKindOf,
  modelKey,
  workingRuns,
  type Queue,
  type SchedulerState,
  type WaitingCell,
} from './state.js';

/**
 * The most runs that the server may be asked to start at once. It starts them in any order: on a busy server, one of
 * many waits for minutes, and a new history of the sweep has to wait for all.
 */
export const MAX_STARTING = 8;
/** Returns the next action and the state after it; null if there is nothing to do now. `now`: ms since the epoch. */
export function nextAction(state: SchedulerState, now: number): Step | null {
  if (state.paused || state.cancelled || state.failure !== null) return null;
  const isFull = workingRuns(state).length >= state.caps.total;
  if (isFull) return state.held ? null : loadNext(state);
  const wake = wakeNext(state, now);
  return (
    wake ?? (state.held ? null : (placeAgain(state) ?? startNext(state, now) ?? loadNext(state) ?? decideNext(state)))
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
      const limited = account !== null && ownValue(state.limits, account) !== undefined;
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
  if (starting.size >= MAX_STARTING) return null;
  const lastTurn = ({ agent, model }: Queue): [number, number] => [
    ownValue(turns.agents, agent) ?? 0,
    ownValue(turns.models, modelKey(agent, model)) ?? 0,
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
      if (mustWait(cellKindOf(page))) continue;
      const admitted = money === null ? 'start' : admission(money, estimates, page);
      switch (admitted) {
        case 'start':
          return started(state, queue, page, now);
        case 'never':
        case 'never in the month':
          return leftOut(state, queue, page, admitted === 'never in the month');
        case 'by the month':
          if (money?.month?.reading === 'stale') return readMonth(state);
          break;
        case 'wait':
          break;
        default:
          assertNever(admitted);
      }
    }
  }
  return null;
}

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
      ...(state.placed ? {} : { starting: new Set(state.starting).add(page.cell.id) }),
      turns: {
        next: next + 1,
        agents: { ...agents, [agent]: next },
        models: { ...models, [modelKey(agent, model)]: next },
      },
    },
    actions: [state.placed ? { type: 'place', run } : { type: 'start', cell: page }],
  };
}

const readMonth = (state: SchedulerState): Step => ({
  state: {
    ...state,
    money: state.money === null ? null : withMonth(state.money, () => ({ reading: 'asked' })),
  },
  actions: [{ type: 'read month' }],
});

function leftOut(state: SchedulerState, queue: Queue, page: WaitingCell, byMonth: boolean): Step {
  const { money, counts } = state;
  return {
    state: {
      ...state,
      queues: dequeue(state.queues, queue, page),
      counts: { ...counts, error: counts.error + 1 },
      money: money === null ? null : withoutCell(money, byMonth),
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

/** Requests the next decision once all released cells have ended. */
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
