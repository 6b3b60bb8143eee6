import { z } from 'zod';
import { checkOutput } from './command-output.js';
import { command, commonFields, substring } from './fields.js';
import { defineGate } from './gate.js';
import { quote } from './verdicts.js';

/** The command exits with 0 and its stdout, exactly as written, has the substring. */
export const commandOutputContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_output_contains'),
      ...commonFields,
      command,
      substring: substring,
    })
    .describe('The command exits with 0 and its stdout contains the text'),
  subject: (spec) => spec.command,
  check: (spec, context) =>
    checkOutput(spec, context, {
      does: `contains ${quote(spec.substring)}`,
      doesNot: `does not contain ${quote(spec.substring)}`,
      test: (stdout) => stdout.includes(spec.substring),
    }),
});
