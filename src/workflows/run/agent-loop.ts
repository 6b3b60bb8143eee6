import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { STEPS } from '#model/pure';
import type { RequestPlace, RunRef, TurnRef } from '#protocol';
import { activities, AGENT_RETRY, within } from './options.js';
import type { Performer } from './perform.js';

/** The histories of a run: a history must not grow without limit, as the requests of an agent may. */
export interface Histories {
  /** The request with which this history begins; null for the first one. */
  next: RequestPlace | null;
  /** Goes on with a request in a new history. Always throws. */
  goOn: (next: RequestPlace) => Promise<never>;
}

/** True if a run of the agent has ended in an earlier history. */
export const isBefore = (run: Omit<RequestPlace, 'number'>, next: RequestPlace | null): boolean =>
  next !== null && (run.turn < next.turn || (run.turn === next.turn && run.nth < next.nth));

/**
 * Performs the `nth` run of the agent `loop` in a turn: asks its model, and performs the calls of tools that it asks
 * for, until it asks for none. Each is a step, so that a lost worker repeats at most the request that was on its way.
 * Returns false if a step failed for good.
 */
export async function performLoop(
  { perform, limits }: Performer,
  run: RunRef,
  { turn, nth, timeoutSecs }: { turn: TurnRef; nth: number; timeoutSecs: number },
  { next, goOn }: Histories,
): Promise<boolean> {
  const agent = STEPS.agent(nth, turn.number);
  const retry = AGENT_RETRY;
  const first = next?.turn === turn.number && next.nth === nth ? next.number : 1;
  for (let number = first; ; number += 1) {
    const isFull = workflowInfo().continueAsNewSuggested || number - first >= limits.requestsPerHistory;
    if (isFull && number > first && !CancellationScope.current().consideredCancelled)
      await goOn({ turn: turn.number, nth, number });
    const step = STEPS.request(agent, number);
    const planned = { step, title: `${run.cell.model}, request ${number}`, ...within(timeoutSecs), retry };
    const asked = await perform(planned, (options) =>
      activities.askModel.executeWithOptions(options, [run, nth, turn, number]),
    );
    if (asked === null) return false;
    const { calls, isOver } = asked;
    if (isOver) return true;
    for (let call = 1; call <= calls; call += 1) {
      const called = { step: STEPS.call(step, call), title: `call ${call} of ${calls}`, ...within(timeoutSecs), retry };
      const done = await perform(called, (options) =>
        activities.callTool.executeWithOptions(options, [run, nth, turn, number, call]),
      );
      if (done === null) return false;
    }
  }
}
