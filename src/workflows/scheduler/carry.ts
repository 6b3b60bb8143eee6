import type { CarriedSweep, OpenRun, SweepInput } from '../protocol.js';
import { initialState, type SchedulerState } from './state.js';

/** The state passed to the next history of a sweep: small JSON, in which waiting cells are positions only. */
export const carry = (state: SchedulerState): CarriedSweep => ({
  paused: state.paused,
  counts: state.counts,
  lost: state.lost,
  open: [...state.open.values()],
  waiting: [
    ...state.reread,
    ...state.queues.flatMap(({ cells }) => cells.map(({ position }) => position)),
  ].sort((a, b) => a - b),
  limits: state.limits,
  money: state.money,
  turns: state.turns,
  offset: state.offset,
  total: state.total,
  lastOrderAt: state.lastOrderAt,
});

/** The initial state of a history: that passed on by the history before it, or that of a new sweep. */
export function startState(input: SweepInput): SchedulerState {
  const begun = initialState(input);
  if (input.state === undefined) return begun;
  const { open, waiting, ...carried } = input.state;
  return {
    ...begun,
    ...carried,
    open: new Map(open.map((run) => [run.page.cell.id, withoutSearch(run)])),
    reread: waiting,
  };
}

/** A search for a host ends with the history that began it. */
export const withoutSearch = (run: OpenRun): OpenRun =>
  run.place === 'being sought' ? { ...run, place: 'wanted' } : run;
