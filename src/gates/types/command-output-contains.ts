import { z } from 'zod';
import { command } from '#input';
import { checkOutput } from '../command-output.js';
import { commonFields, substring } from '../fields.js';
import { defineGate } from '../gate.js';
import { containing } from '../text-matcher.js';

export const commandOutputContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_output_contains'),
      ...commonFields,
      command,
      substring,
    })
    .describe('The command exits with 0 and its stdout contains the text'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkOutput(spec, context, containing(spec.substring)),
});
