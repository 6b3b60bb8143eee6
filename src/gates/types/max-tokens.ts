import { z } from 'zod';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate } from '../gate.js';
import { ALL_TOKENS, judgeTokens } from '../judge-tokens.js';
import { countOf } from '../verdicts.js';

export const maxTokens = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_tokens'),
      ...commonFields,
      max: count.describe('Tokens of all kinds together: input, output, reasoning and cache'),
    })
    .describe('The agent used at most `max` tokens: input, output, reasoning and cache together'),
  subject: (spec) => countOf(spec.max, 'token'),
  check: ({ max }, context) =>
    checkTrajectory(context, (trajectory) => judgeTokens(ALL_TOKENS, { max }, trajectory)),
});
