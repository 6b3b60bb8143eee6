import { z } from 'zod';
import { checkSkills } from '../check-skills.js';
import { commonFields, skillName } from '../fields.js';
import { defineGate } from '../gate.js';

export const skillNotUsed = defineGate({
  schema: z
    .strictObject({ type: z.literal('skill_not_used'), ...commonFields, skill: skillName })
    .describe('The agent did not use the skill: for prompts that only look like tasks for it'),
  subject: ({ skill }) => skill ?? 'any skill under test',
  checksUse: ({ skill }) => ({ kind: 'skill', name: skill ?? null, field: 'skill' }),
  check: ({ skill }, context) => checkSkills({ skill, wanted: false }, context),
});
