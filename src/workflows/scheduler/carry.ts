import { groupBy } from '#lib/pure';
import type { CarriedSweep, OpenRun, SweepInput, UnreadCells } from '#protocol';
import { initialState, kindKey, kindOf, type SchedulerState } from './state.js';

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
  ...(state.untilClear === undefined ? {} : { untilClear: state.untilClear }),
});

/** The waiting cells by kind. */
function unreadOf({ unread, queues }: SchedulerState): UnreadCells[] {
  const waiting = queues.flatMap(({ cells }) =>
    cells.map((page): UnreadCells => ({ ...kindOf(page), positions: [page.position] })),
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
    open: new Map(open.map((run) => [run.page.cell.id, withoutSearch(run)])),
  };
}

/** A search for a host ends with the history that began it. */
const withoutSearch = (run: OpenRun): OpenRun =>
  run.place === 'being sought' ? { ...run, place: 'wanted' } : run;
