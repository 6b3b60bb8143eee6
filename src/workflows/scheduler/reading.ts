import { groupBy } from '#lib/pure';
import type { CellPage, Decided, UnreadCells } from '#protocol';
import { couldRun } from './may-start.js';
import { withEarlierCost } from './money.js';
import {
  allRead,
  cellKindOf,
  modelKey,
  type Queue,
  type SchedulerState,
  type WaitingCell,
  withLimit,
} from './state.js';

/** The cells to read next: those at `positions`, or a page that begins at `offset`. */
export type CellsToRead = { positions: readonly number[] } | { offset: number };

/** Cells per page: the whole matrix never crosses Temporal. */
export const PAGE = 100;

/**
 * Returns what to read now; null if nothing. Reading takes time, in which slots would be free, so it happens while a
 * page of cells, or a cell for each slot, is left. Cells that could not run are not read: each new history of the sweep
 * would read all of them again.
 */
export function nextToRead(state: SchedulerState): CellsToRead | null {
  const { loading, unread, queues, rest, caps } = state;
  if (loading || allRead(state)) return null;
  const ready = queues.filter(({ cells }) => cells.slice(0, 1).some((one) => couldRun(state, cellKindOf(one))));
  if (ready.reduce((sum, { cells }) => sum + cells.length, 0) >= Math.max(PAGE, caps.total)) return null;
  const positions = unread.filter((kind) => couldRun(state, kind)).flatMap((kind) => kind.positions);
  if (positions.length > 0) return { positions: positions.sort((a, b) => a - b).slice(0, PAGE) };
  const isEnd = state.total !== null && state.offset >= state.total;
  return isEnd || rest?.some((kind) => couldRun(state, kind)) === false ? null : { offset: state.offset };
}

/** Adds the cells of a page that have no result. */
export function withPage(state: SchedulerState, page: CellPage, wanted: CellsToRead): SchedulerState {
  const { cells } = page;
  // Only the cells that were released are to be read.
  const total = state.untilClear === undefined ? page.total : state.total;
  const counts = { ...state.counts };
  const money =
    state.money === null || page.earlierUsd === undefined ? state.money : withEarlierCost(state.money, page.earlierUsd);
  const waiting: WaitingCell[] = [];
  for (const [index, one] of cells.entries()) {
    if (one.finished !== null) counts[one.finished] += 1;
    else if (!state.open.has(one.cell.id))
      waiting.push({
        ...one,
        position: 'offset' in wanted ? wanted.offset + index : (wanted.positions[index] ?? 0),
      });
  }
  const read =
    'offset' in wanted
      ? { offset: wanted.offset + cells.length, rest: page.rest ?? null }
      : { unread: withoutPositions(state, new Set(wanted.positions)) };
  return {
    ...state,
    ...read,
    counts,
    money,
    total,
    loading: false,
    queues: enqueue(state.queues, waiting),
    limits: (page.limits ?? []).reduce(withLimit, state.limits),
  };
}

/** Adds the cells that a decision has released. */
export function withDecision(
  state: SchedulerState,
  { decision, next, released, counts, spentUsd }: Decided,
): SchedulerState {
  const { money } = state;
  return {
    ...state,
    counts,
    money: money === null ? null : withEarlierCost(money, spentUsd),
    total: released,
    offset: released,
    unread: next,
    loading: false,
    // Cells lost so far are recorded, unless nothing more is run.
    lost: next.length === 0 ? state.lost : [],
    untilClear: {
      decision,
      released: next.flatMap(({ positions }) => positions),
      isOver: next.length === 0,
    },
  };
}

const withoutPositions = ({ unread }: SchedulerState, read: ReadonlySet<number>): UnreadCells[] =>
  unread.flatMap((kind) => {
    const positions = kind.positions.filter((position) => !read.has(position));
    return positions.length === 0 ? [] : [{ ...kind, positions }];
  });

function enqueue(queues: readonly Queue[], cells: readonly WaitingCell[]): Queue[] {
  const added = groupBy(cells, ({ cell }) => modelKey(cell.agent, cell.model)).flatMap((group): Queue[] =>
    group.slice(0, 1).map(({ cell: { agent, model } }) => ({ agent, model, cells: group })),
  );
  const isSame = (a: Queue) => (b: Queue) => a.agent === b.agent && a.model === b.model;
  const longer = queues.map((queue) => ({
    ...queue,
    cells: [...queue.cells, ...(added.find(isSame(queue))?.cells ?? [])],
  }));
  return [...longer, ...added.filter((queue) => !queues.some(isSame(queue)))];
}
