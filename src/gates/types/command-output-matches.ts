import { z } from 'zod';
import { command, pattern } from '#input';
import { checkOutput } from '../command-output.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { matching } from '../text-matcher.js';

export const commandOutputMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_output_matches'), ...commonFields, command, pattern })
    .describe('The command exits with 0 and its stdout matches the pattern'),
  subject: (spec) => spec.command,
  check: (spec, context) => matching(spec, context, (wanted) => checkOutput(spec, context, wanted)),
});
