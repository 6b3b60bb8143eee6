import { defined, groupBy, ownValue } from '#lib/pure';
import type {
  CarriedSweep,
  CellKind,
  OpenRun,
  PageCell,
  ProviderLimit,
  RunNumbers,
  RunPlace,
  SweepInput,
  UnreadCells,
} from '#protocol';
import { noMoneySpent, withForgottenMonth } from './money.js';

/** The most runs that may hold a slot at once: in total, per agent, and per model. */
interface Caps {
  total: number;
  agents: Readonly<Record<string, number>>;
  models: Readonly<Record<string, number>>;
}

/** A cell that was read but not started. */
export interface WaitingCell extends PageCell {
  /** Its position in turn order, from 0. */
  position: number;
}

/** Waiting cells of one agent and model, in the order of the plan. */
export interface Queue {
  agent: string;
  model: string;
  cells: readonly WaitingCell[];
}

/** Everything that a sweep's decisions depend on. Never changed in place. */
export interface SchedulerState extends Omit<CarriedSweep, 'open'> {
  caps: Caps;
  /** True if each run is placed on one of several hosts. */
  placed: boolean;
  cancelled: boolean;
  /** True if no more cells are started, because a new history is about to take over. */
  held: boolean;
  /**
   * The reason why the cells cannot be read: no more are started, and the sweep fails once its open runs have ended.
   */
  failure: string | null;
  /** By cell id. */
  open: ReadonlyMap<string, OpenRun>;
  /** Cells whose runs the server was asked to start, and has not started. Empty with several hosts. */
  starting: ReadonlySet<string>;
  queues: readonly Queue[];
  /** True while cells are read, or it is decided which are released next. */
  loading: boolean;
}

export const modelKey = (agent: string, model: string): string => JSON.stringify([agent, model]);

/** The account whose limit holds a cell back; the provider if the account is unknown; null if both are. */
export const accountOf = ({ account, provider }: Pick<CellKind, 'account' | 'provider'>): string | null =>
  account ?? provider ?? null;

export const cellKindOf = ({ cell: { agent, model }, provider, account }: PageCell): CellKind => ({
  agent,
  model,
  ...defined({ provider, account }),
});

export const kindKey = ({ agent, model, ...of }: CellKind): string => JSON.stringify([agent, model, accountOf(of)]);

/** The accounts of limits, of open runs, and of the cells that were read but not started. */
export const accountsIn = ({ limits, open, queues, unread }: SchedulerState): string[] => [
  ...new Set(
    [
      ...Object.keys(limits),
      ...[...open.values()].flatMap(({ page, parked }) => [page.account, parked?.account]),
      ...queues.flatMap(({ cells }) => cells.map(({ account }) => account)),
      ...unread.map(({ account }) => account),
    ].filter((account) => account !== undefined),
  ),
];

/** The state of a new sweep. */
const initialState = ({ concurrency, caps, maxUsd, monthUsd, placed, untilClear }: SweepInput): SchedulerState => ({
  caps: { total: concurrency, ...caps },
  placed: placed === true,
  paused: false,
  cancelled: false,
  held: false,
  failure: null,
  counts: { pass: 0, fail: 0, error: 0, cancelled: 0 },
  lost: [],
  open: new Map(),
  starting: new Set(),
  queues: [],
  limits: {},
  money: noMoneySpent(defined({ maxUsd, monthUsd })),
  turns: { next: 1, agents: {}, models: {} },
  unread: [],
  rest: null,
  offset: 0,
  total: null,
  lastOrderAt: 0,
  loading: false,
  // Cells are read only by the positions that a decision names.
  ...(untilClear === undefined ? {} : { total: 0, untilClear: { decision: null, released: [], isOver: false } }),
});

/** True if every cell of the plan has been read. */
export const allRead = ({ unread, offset, total }: SchedulerState): boolean =>
  unread.length === 0 && total !== null && offset >= total;

/** True if no cell is left to start. */
export const hasStartedAll = (state: SchedulerState): boolean => allRead(state) && state.queues.length === 0;

/** True if there is nothing left to wait for: every cell has ended or, in a cancelled sweep, every open run has. */
export function isOver(state: SchedulerState): boolean {
  if (state.open.size > 0) return false;
  return (
    state.cancelled ||
    state.failure !== null ||
    (hasStartedAll(state) && !state.loading && state.untilClear?.isOver !== false)
  );
}

/** True if all released cells have ended, so that the next ones must be decided. */
export const isUndecided = (state: SchedulerState): boolean =>
  state.untilClear?.isOver === false && state.open.size === 0 && hasStartedAll(state) && !state.loading;

/** The runs that hold a slot. One that lost its host holds none until it may be placed again. */
export const workingRuns = ({ open }: SchedulerState): OpenRun[] =>
  [...open.values()].filter(({ parked, place }) => parked === null && place !== 'wanted');

/** The cells of the open runs whose workflows have been started: all but those that seek a host. */
export const startedRuns = ({ open }: SchedulerState): string[] =>
  [...open].flatMap(([cell, { place }]) => (place === undefined || typeof place === 'object' ? [cell] : []));

/** The runs that are on a host, with that place. */
export const placedRuns = ({ open }: SchedulerState): { run: OpenRun; place: RunPlace }[] =>
  [...open.values()].flatMap((run) => (typeof run.place === 'object' ? [{ run, place: run.place }] : []));

/** Number of a run among those of its cell that replace each other because hosts were lost, from 1. */
export const incarnationOf = ({ lostHosts = [] }: Pick<OpenRun, 'lostHosts'>): number => lostHosts.length + 1;

/** The numbers that tell a run apart from others of its cell in this round. */
export const numbersOf = (run: Pick<OpenRun, 'page' | 'lostHosts'>): Pick<RunNumbers, 'redo' | 'incarnation'> => ({
  ...defined({ redo: run.page.redo }),
  incarnation: incarnationOf(run),
});

/** When the next wait ends, ms since the epoch; null if nothing waits for a time. */
export function nextTime({ open, limits }: SchedulerState, now: number): number | null {
  const times = [
    ...Object.values(limits).map(({ until }) => until),
    ...[...open.values()].flatMap(({ parked }) => (parked === null ? [] : [parked.until])),
  ].filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

/** Adds the limit of an account. Of two, the later one counts. */
export function withLimit(limits: SchedulerState['limits'], limit: ProviderLimit): SchedulerState['limits'] {
  const account = limit.account ?? limit.provider;
  const until = Math.max(limit.until, ownValue(limits, account)?.until ?? 0);
  return { ...limits, [account]: { ...limit, until } };
}

/** The state passed to the next history of a sweep: small JSON, in which waiting cells are positions only. */
export const carry = (state: SchedulerState): CarriedSweep => ({
  paused: state.paused,
  counts: state.counts,
  lost: state.lost,
  open: [...state.open.values()],
  unread: unreadOf(state),
  rest: state.rest,
  limits: state.limits,
  money: state.money,
  turns: state.turns,
  offset: state.offset,
  total: state.total,
  lastOrderAt: state.lastOrderAt,
  ...defined({ untilClear: state.untilClear }),
});

/** The waiting cells by kind. */
function unreadOf({ unread, queues }: SchedulerState): UnreadCells[] {
  const waiting = queues.flatMap(({ cells }) =>
    cells.map((page): UnreadCells => ({ ...cellKindOf(page), positions: [page.position] })),
  );
  return groupBy([...unread, ...waiting], kindKey).flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      ...first,
      positions: group.flatMap(({ positions }) => positions).sort((a, b) => a - b),
    })),
  );
}

/** The initial state of a history: that passed on by the history before it, or that of a new sweep. */
export function startState(input: SweepInput): SchedulerState {
  const begun = initialState(input);
  if (input.state === undefined) return begun;
  const { open, ...carried } = input.state;
  return {
    ...begun,
    ...carried,
    money: carried.money === null ? null : withForgottenMonth(carried.money),
    open: new Map(open.map((run) => [run.page.cell.id, withoutSearch(run)])),
  };
}

/** A search for a host ends with the history that began it. */
const withoutSearch = (run: OpenRun): OpenRun => (run.place === 'being sought' ? { ...run, place: 'wanted' } : run);
