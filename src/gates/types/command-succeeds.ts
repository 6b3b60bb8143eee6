import { z } from 'zod';
import { command } from '#input';
import { checkExit } from '../check-exit.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';

export const commandSucceeds = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_succeeds'), ...commonFields, command })
    .describe('The command exits with 0'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkExit(spec, context, 0),
});
