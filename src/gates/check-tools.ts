import { checkTrajectory, whyMoreCalls } from './check-trajectory.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, countOf, fail, pass, quote } from './verdicts.js';

/** The agent's tool calls that were executed, whether or not they succeeded. */
export interface ToolCalls {
  /** Each tool that was called, and how often. */
  tools: [name: string, calls: number][];
  /** Names of tools that the agent called without effect: it does not have them, or the arguments did not fit. */
  unexecuted: string[];
  /** The reason why there may be more calls; null if these are all. */
  unseen: string | null;
}

/** Judges the agent's tool calls. The verdict is `error` if its output shows none. */
export const checkTools = (
  context: GateContext,
  judge: (calls: ToolCalls) => Verdict | Promise<Verdict>,
): Promise<Verdict> =>
  checkTrajectory(context, (trajectory) => {
    const unseen = whyMoreCalls(trajectory);
    const { tools, unexecuted = {} } = trajectory;
    return unseen !== null && !trajectory.structured
      ? broken(unseen)
      : judge({ tools: Object.entries(tools), unexecuted: Object.keys(unexecuted), unseen });
  });

/** How many calls there were of the tools that `isWanted` accepts. */
export const countCalls = (
  { tools }: ToolCalls,
  isWanted: (name: string, index: number) => boolean | undefined,
): number => tools.reduce((sum, [name, calls], index) => sum + (isWanted(name, index) ? calls : 0), 0);

/** Judges whether there were at least `min` calls of the tool that the scenario calls `wanted`. */
export function judgeCalls(all: ToolCalls, calls: number, wanted: string, min: number): Verdict {
  const evidence = `${calls === 0 ? 'no call' : countOf(calls, 'call')} of ${quote(wanted)}`;
  if (calls >= min) return pass(evidence);
  if (all.unseen !== null) return broken(`${evidence}; ${all.unseen}`);
  const called = all.tools.map(([name]) => name).join(', ');
  const only =
    all.unexecuted.length === 0
      ? ''
      : `; it named ${quote(all.unexecuted.join(', '))}, but nothing was executed`;
  return fail(
    `${evidence}; expected at least ${min}; ${called === '' ? 'no tool was called' : `the agent called ${quote(called)}`}${only}`,
  );
}
