import type { Trajectory } from '../results/transcript/trajectory.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, fail, pass, quote, tooSlow } from './verdicts.js';
import type { TextMatcher } from './text-matcher.js';

/** Why a number of commands or calls is not the whole. */
export const UNREAD = 'not all of its output could be read';

/** Judges what the agent did; where that was not recorded, nothing can be said. */
export async function checkTrajectory(
  context: GateContext,
  judge: (trajectory: Trajectory) => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const trajectory = await context.trajectory();
  return trajectory === null ? broken('what the agent did was not recorded') : judge(trajectory);
}

/** Judges what the agent said last; `wanted` completes "the answer …" ("contains x"). */
export const checkAnswer = (
  { timeout_secs }: { timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> =>
  checkTrajectory(context, async ({ answer, unread }) => {
    if (unread === true) return broken(`the agent's final answer is unknown: ${UNREAD}`);
    if (answer === null) return fail('the agent gave no answer');
    const found = await wanted.test(answer);
    if (found === null) return tooSlow(timeout_secs);
    return found
      ? pass(`the answer ${wanted.does}`)
      : fail(`the answer ${wanted.doesNot}; it begins with ${quote(answer)}`);
  });

/** What a verdict on commands adds where not all of them can be seen. */
export const seenOnly = ({ structured }: Trajectory): string =>
  structured ? '' : "; the agent's output is text, which shows only calls to the target";
