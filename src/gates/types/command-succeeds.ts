import { z } from 'zod';
import { commandFailure } from '../command-end.js';
import { command, commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { fail, pass } from '../verdicts.js';

export const commandSucceeds = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_succeeds'), ...commonFields, command })
    .describe('The command exits with 0'),
  subject: (spec) => spec.command,
  check: async (spec, context) => {
    const result = await context.exec(spec.command, spec.timeout_secs);
    const failure = commandFailure(result, spec.timeout_secs);
    return failure === null ? pass('exit 0') : fail(failure);
  },
});
