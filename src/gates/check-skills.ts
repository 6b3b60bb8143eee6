import { ownValue } from '#lib';
import { checkTrajectory, whyMoreCalls } from './check-trajectory.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, countOf, fail, pass, quote } from './verdicts.js';

/**
 * Checks whether the agent used a skill: the one with this name, or without a name, any of those under test. The verdict is
 * `error` if the agent's output cannot tell.
 */
export function checkSkills(
  { skill, wanted }: { skill: string | undefined; wanted: boolean },
  context: GateContext,
): Promise<Verdict> {
  const names = skill === undefined ? context.skills() : [skill];
  return checkTrajectory(context, (trajectory) => {
    const { structured, skills } = trajectory;
    if (names.length === 0) return broken('no skill is under test');
    if (!structured)
      return broken('the agent printed only text, no structured events, so its use of skills is unknown');
    const used = names.flatMap((name) => {
      const uses = ownValue(skills, name) ?? 0;
      return uses === 0 ? [] : [`${quote(name)} ${countOf(uses, 'time')}`];
    });
    if (used.length > 0) {
      const evidence = `the agent used ${used.join(', ')}`;
      return wanted ? pass(evidence) : fail(`${evidence}; expected not to`);
    }
    const evidence = `the agent did not use ${names.map(quote).join(' or ')}`;
    const unseen = whyMoreCalls(trajectory);
    if (unseen !== null) return broken(`${evidence} as far as is known; ${unseen}`);
    if (!wanted) return pass(evidence);
    const others = Object.keys(skills);
    return fail(
      `${evidence}; ${others.length === 0 ? 'it used no skill' : `it used ${others.map(quote).join(', ')}`}`,
    );
  });
}
