import { ownValue } from '#lib/pure';
import type { CellKind } from '#protocol';
import { accountOf, workingRuns, type SchedulerState } from './state.js';

/**
 * The most runs of an agent and model that may seek a host at once. If the hosts that could run them are full, other
 * agents can still use the rest of the sweep's slots.
 */
const MAX_SEEKING = 4;

type Kind = Pick<CellKind, 'agent' | 'model'>;

/** True if a run of this agent and model may take a slot now. */
export const hasRoom = (state: SchedulerState, kind: Kind): boolean =>
  workingRuns(state).length < state.caps.total && isBelowCaps(state, kind);

/** True if the caps of the agent and the model allow another run. */
function isBelowCaps(state: SchedulerState, { agent, model }: Kind): boolean {
  const { agents, models } = state.caps;
  const working = workingRuns(state).map(({ page }) => page.cell);
  const ofAgent = working.filter((cell) => cell.agent === agent).length;
  const ofModel = working.filter((cell) => cell.model === model).length;
  return ofAgent < (ownValue(agents, agent) ?? Infinity) && ofModel < (ownValue(models, model) ?? Infinity);
}

/** True if so many runs of an agent and model seek a host that no further one is started. */
export const isCrowded = ({ open }: SchedulerState, { agent, model }: Kind): boolean =>
  [...open.values()].filter(
    ({ place, page: { cell } }) => place === 'being sought' && cell.agent === agent && cell.model === model,
  ).length >= MAX_SEEKING;

/**
 * True if cells must wait for their account. An account that has reached a limit holds back all its cells. One that is
 * merely busy would park run after run, each with a workspace, so it gets no new cell once two runs per slot are
 * parked.
 */
export function isHeldBack({ limits, open, caps }: SchedulerState, kind: CellKind): boolean {
  const account = accountOf(kind);
  if (account !== null && ownValue(limits, account) !== undefined) return true;
  const parked = [...open.values()].filter(
    (run) =>
      run.parked !== null && (account === null ? run.page.cell.agent === kind.agent : accountOf(run.page) === account),
  );
  return parked.length >= 2 * caps.total;
}

/** True if cells of this kind could run as soon as a slot is free. */
export const couldRun = (state: SchedulerState, kind: CellKind): boolean =>
  isBelowCaps(state, kind) && !isCrowded(state, kind) && !isHeldBack(state, kind);
