import { type Trajectory, UNREAD } from '#model';
import type { GateContext, Verdict } from './gate.js';
import { broken, fail, pass, quotedText, tooSlow } from './verdicts.js';
import type { TextMatcher } from './text-matcher.js';

const TEXT_ONLY = 'the agent printed only text, no structured events';

/** The reason why there may be more tool calls than those that are known; null if all are. */
export const unseenCallsReason = ({ unread, unseen, structured }: Trajectory): string | null =>
  unread === true
    ? UNREAD
    : structured
      ? (unseen?.calls ?? unseen?.doubt ?? null)
      : `${TEXT_ONLY}, so its tool calls are unknown`;

/** The reason why there may be more shell commands than those that are known; null if all are. */
export const unseenCommandsReason = (trajectory: Trajectory): string | null =>
  trajectory.structured || trajectory.unread === true
    ? unseenCallsReason(trajectory)
    : `${TEXT_ONLY}, so only calls to the target are known`;

/** Judges what the agent did. The verdict is `error` if that was not recorded. */
export async function checkTrajectory(
  context: GateContext,
  judge: (trajectory: Trajectory) => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const trajectory = await context.trajectory();
  return trajectory === null ? broken('what the agent did was not recorded') : judge(trajectory);
}

/**
 * Judges the agent's final answer, or what a command printed. The words of `wanted` complete "the answer …" ("contains
 * x").
 */
export const checkAnswer = (
  { timeout_secs }: { timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> =>
  checkTrajectory(context, async ({ answer, unread, isOutput }) => {
    const what = isOutput === true ? 'output' : 'answer';
    if (unread === true) return broken(`the final ${what} is unknown: ${UNREAD}`);
    if (answer === null) return fail('the agent gave no answer');
    const found = await wanted.test(answer);
    if (found === null) return tooSlow(timeout_secs);
    return found
      ? pass(`the ${what} ${wanted.does}`)
      : fail(`the ${what} ${wanted.doesNot}; it begins with ${quotedText(answer)}`);
  });

/** A note for verdicts on commands if not all commands are visible; else empty. */
export const seenOnly = ({ structured }: Trajectory): string =>
  structured ? '' : `; ${TEXT_ONLY}, so only calls to the target are known`;
