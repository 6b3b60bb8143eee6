import { z } from 'zod';
import { checkSkills } from '../check-skills.js';
import { commonFields, skillName } from '../fields.js';
import { defineGate } from '../gate.js';

export const skillUsed = defineGate({
  schema: z
    .strictObject({ type: z.literal('skill_used'), ...commonFields, skill: skillName })
    .describe('The agent used the skill'),
  subject: ({ skill }) => skill ?? 'any skill under test',
  checksUse: ({ skill }) => ({ kind: 'skill', name: skill ?? null, field: 'skill' }),
  check: ({ skill }, context) => checkSkills({ skill, wanted: true }, context),
});
