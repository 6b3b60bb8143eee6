import { z } from 'zod';
import { counted, ownValue } from '#lib';
import { checkTrajectory, unseenCallsReason } from '../check-trajectory.js';
import { commonFields, skillName } from '../fields.js';
import { defineGate, type GateContext, type Verdict } from '../gate.js';
import { broken, fail, pass, quotedText } from '../verdicts.js';

/**
 * Checks whether the agent used a skill: the one with this name, or without a name, any of those under test. The
 * verdict is `error` if the agent's output cannot tell.
 */
function checkSkills(
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
      return uses === 0 ? [] : [`${quotedText(name)} ${counted(uses, 'time')}`];
    });
    if (used.length > 0) {
      const evidence = `the agent used ${used.join(', ')}`;
      return wanted ? pass(evidence) : fail(`${evidence}; expected not to`);
    }
    const short = names.flatMap((name) => shortUse(name, skills, context.skills()) ?? []);
    if (short[0] !== undefined)
      return broken(`the agent used ${quotedText(short[0])}, but not by a name that says of which plugin it is`);
    const evidence = `the agent did not use ${names.map(quotedText).join(' or ')}`;
    const unseen = unseenCallsReason(trajectory);
    if (unseen !== null) return broken(`${evidence} as far as is known; ${unseen}`);
    if (!wanted) return pass(evidence);
    const others = Object.keys(skills);
    return fail(
      `${evidence}; ${others.length === 0 ? 'it used no skill' : `it used ${others.map(quotedText).join(', ')}`}`,
    );
  });
}

/** The name without that of the plugin, if a skill was used by this name, and no skill under test has it. */
function shortUse(name: string, skills: Readonly<Record<string, number>>, underTest: readonly string[]): string | null {
  const short = name.slice(name.lastIndexOf(':') + 1);
  return short === name || underTest.includes(short) || (ownValue(skills, short) ?? 0) === 0 ? null : short;
}

export const skillUsed = defineGate({
  schema: z
    .strictObject({ type: z.literal('skill_used'), ...commonFields, skill: skillName })
    .describe('The agent used the skill, or the command of a plugin'),
  subject: ({ skill }) => skill ?? 'any skill under test',
  checksUse: ({ skill }) => ({ kind: 'skill', name: skill ?? null, field: 'skill' }),
  check: ({ skill }, context) => checkSkills({ skill, wanted: true }, context),
});

export const skillNotUsed = defineGate({
  schema: z
    .strictObject({ type: z.literal('skill_not_used'), ...commonFields, skill: skillName })
    .describe('The agent did not use the skill: for prompts that only look like tasks for it'),
  subject: ({ skill }) => skill ?? 'any skill under test',
  checksUse: ({ skill }) => ({ kind: 'skill', name: skill ?? null, field: 'skill' }),
  check: ({ skill }, context) => checkSkills({ skill, wanted: false }, context),
});
