import { STEPS } from '#model/pure';
import type { RunRef, TurnRef } from '#protocol';
import { activities, AGENT_RETRY, within } from './options.js';
import type { Performer } from './perform.js';

/**
 * Performs the `nth` run of the agent `loop` in a turn: asks its model, and performs the calls of tools that it asks
 * for, until it asks for none. Each is a step, so that a lost worker repeats at most the request that was on its way.
 * Returns false if a step failed for good.
 */
export async function performLoop(
  { perform }: Performer,
  run: RunRef,
  { turn, nth, timeoutSecs }: { turn: TurnRef; nth: number; timeoutSecs: number },
): Promise<boolean> {
  const agent = STEPS.agent(nth, turn.number);
  const retry = AGENT_RETRY;
  for (let number = 1; ; number += 1) {
    const step = STEPS.request(agent, number);
    const planned = { step, title: `${run.cell.model}, request ${number}`, ...within(timeoutSecs), retry };
    const calls = await perform(planned, (options) =>
      activities.askModel.executeWithOptions(options, [run, nth, turn, number]),
    );
    if (calls === null) return false;
    if (calls === 0) return true;
    for (let call = 1; call <= calls; call += 1) {
      const asked = { step: STEPS.call(step, call), title: `call ${call} of ${calls}`, ...within(timeoutSecs), retry };
      const done = await perform(asked, (options) =>
        activities.callTool.executeWithOptions(options, [run, nth, turn, number, call]),
      );
      if (done === null) return false;
    }
  }
}
