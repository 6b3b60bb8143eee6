import { applyEvent, endWithoutResult } from './apply-event.js';
import type { Step, SweepAction, SweepEvent } from './events.js';
import { nextAction } from './next-action.js';
import type { SchedulerState } from './state.js';

/**
 * Returns the state after an event, and what to do now. The total, per-agent and per-model caps apply to runs that
 * work. A run that waits for its provider holds no slot; once it is due and a slot is free, it is woken before any new
 * cell is started. Agents take turns, and so do the models of an agent. `now`: ms since the epoch.
 */
export function reduce(before: SchedulerState, event: SweepEvent, now: number): Step {
  let state = withoutHopeless(withoutPassedLimits(applyEvent(before, event, now), now), now);
  const actions: SweepAction[] = [];
  if (state.placed && (event.type === 'paused' || event.type === 'cancelled'))
    actions.push({ type: 'stop seeking' });
  if (event.type === 'cancelled') actions.push({ type: 'cancel runs' });
  for (let next = nextAction(state, now); next !== null; next = nextAction(state, now)) {
    state = next.state;
    actions.push(...next.actions);
  }
  return { state, actions };
}

function withoutPassedLimits(state: SchedulerState, now: number): SchedulerState {
  const open = Object.entries(state.limits).filter(([, { until }]) => until > now);
  return { ...state, limits: Object.fromEntries(open) };
}

/** Ends the runs that want a host but will not get one. */
function withoutHopeless(state: SchedulerState, now: number): SchedulerState {
  if (!state.cancelled && state.failure === null) return state;
  return [...state.open.values()]
    .filter(({ place }) => place === 'wanted')
    .map((run) => endWithoutResult(run, state.cancelled, state.failure ?? '', { costUsd: null }))
    .reduce((rest, end) => applyEvent(rest, end, now), state);
}
