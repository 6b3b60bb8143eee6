import { STEPS } from '#model/pure';
import { type AgentSummary, type PlannedStep, type RunRef, type TurnRef, waitNumber } from '#protocol';
import { backoffMs, consecutiveSameReason, type RetryHint } from '../provider-backoff.js';
import type { WaitForProvider } from '../wait-for-provider.js';
import { activities, AGENT_RETRY, within } from './options.js';
import { type Histories, isBefore, performLoop } from './agent-loop.js';
import type { Performer } from './perform.js';

/** Name of the step in which a run waits for its provider and nothing runs. */
export const WAIT = 'wait';

/** Time limits of a turn, in seconds. */
export type AgentLimits = Pick<Extract<PlannedStep, { kind: 'agent' }>, 'timeoutSecs' | 'rebuildSecs' | 'loop'>;

/** Performs a turn of the agent. */
export type RunAgent = (limits: AgentLimits, turn: TurnRef) => Promise<AgentSummary | null>;

/**
 * Performs a turn: runs the agent, and runs it again while it is worth waiting for its provider: a limit or an outage
 * says nothing about the tool under test. Calls `noteCost` with the agent's total cost so far, US dollars.
 * Returns null if the step failed for good.
 */
export async function runAgent(
  performer: Performer,
  run: RunRef,
  { timeoutSecs, rebuildSecs, loop }: AgentLimits,
  turn: TurnRef,
  waitForProvider: WaitForProvider,
  histories: Histories,
  noteCost: (usd: number) => void,
): Promise<AgentSummary | null> {
  const { perform, limits } = performer;
  const { agent, model } = run.cell;
  const isFirst = turn.number === 1;
  const reasons: RetryHint['why'][] = [];
  for (let nth = 1; ; nth++) {
    const planned = {
      step: STEPS.agent(nth, turn.number),
      title: `agent ${agent} ${model}${isFirst ? '' : `, turn ${turn.number}`}${nth === 1 ? '' : `, run ${nth}`}`,
      // A lost agent is started again in a fresh workspace, whose setup commands take extra time.
      ...within(timeoutSecs + rebuildSecs),
      retry: AGENT_RETRY,
    };
    // An earlier history has performed it, and waited after it; its steps return what they have stored.
    const isDone = isBefore({ turn: turn.number, nth }, histories.next);
    if (loop === true && !isDone && !(await performLoop(performer, run, { turn, nth, timeoutSecs }, histories)))
      return null;
    const brief = await perform(planned, (options) =>
      activities.runAgent.executeWithOptions(
        options,
        !isFirst || turn.limitSecs !== undefined ? [run, nth, turn] : nth === 1 ? [run] : [run, nth],
      ),
    );
    const costUsd = brief?.costUsd ?? brief?.knownUsd;
    if (costUsd !== undefined) noteCost(costUsd);
    if (brief?.again === undefined) return brief;
    // An agent that was not started has not been refused.
    if (brief.again.held !== true) reasons.push(brief.again.why);
    if (isDone) continue;
    const wait = backoffMs(brief.again, consecutiveSameReason(reasons), Date.now(), limits);
    if (wait === null) return brief;
    const until = new Date(Date.now() + wait).toISOString();
    await perform({ step: WAIT, title: `until ${until}: ${brief.message}` }, () =>
      waitForProvider(brief, wait, waitNumber(nth, turn.number)),
    );
  }
}
