import { z } from 'zod';
import { command } from '#input';
import { checkExit } from '../check-exit.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';

export const commandExitCodeIs = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_exit_code_is'),
      ...commonFields,
      command,
      expected_code: z.int().min(0).max(255).default(0).describe('Exit code that the command must end with'),
    })
    .describe('The command exits with `expected_code`'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkExit(spec, context, spec.expected_code),
});
