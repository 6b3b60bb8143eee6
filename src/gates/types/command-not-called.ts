import { z } from 'zod';
import { pattern } from '#input';
import { checkCalls } from '../check-calls.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';

export const commandNotCalled = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_not_called'), ...commonFields, pattern })
    .describe('No shell command of the agent matches the pattern'),
  subject: (spec) => spec.pattern,
  check: ({ pattern, timeout_secs }, context) =>
    checkCalls({ pattern, timeout_secs, min: 0, max: 0 }, context),
});
