import { z } from 'zod';
import { errorCode, errorMessage, matcher, metadata, stepContext, template } from './mock-fields.js';
import type { Placeholders } from './template.js';

/** The name of a file in a folder of PATH, which needs no quotes in any shell. */
const COMMAND_NAME = /^\w[\w.+-]*$/;

const PLACEHOLDERS: Placeholders = {
  known: /^(args\[\d+\]|input\.stdin|context\.(step|agent|scenario))$/,
  examples: ['args[0]', 'input.stdin', 'context.step', 'context.agent', 'context.scenario'],
};

const commandName = z
  .string({
    error: ({ input }) => (input === undefined ? 'missing: expected the name of a command, like gh' : undefined),
  })
  .regex(COMMAND_NAME, 'expected the name of a command, like gh: without a path, blanks or a leading dash')
  .refine((name) => name !== 'sh', { error: 'sh cannot be mocked: it runs the commands of the scenario' })
  .describe('Name of the command; it comes first on PATH');

const text = template(PLACEHOLDERS);

const When = z.strictObject({
  args: z.array(z.string()).exactOptional().describe('All arguments, exactly'),
  partialArgs: z.array(z.string()).exactOptional().describe('Arguments that the call must contain, in any order'),
  input: z
    .strictObject({
      stdin: z.string().exactOptional().describe('All of standard input; newlines at its end do not count'),
    })
    .exactOptional()
    .describe('What the command is given'),
  context: stepContext,
  matcher,
});

/** A command that answers as the scenario says instead of doing its work. */
export const CommandMock = z.strictObject({
  command: commandName,
  when: When.prefault({}).describe('Which calls it answers; all parts must be true'),
  response: z
    .union([
      text,
      z.strictObject({
        stdout: text.default('').describe('Standard output'),
        stderr: text.default('').describe('Standard error'),
        exit_code: z.int().min(0).max(255).default(0).describe('Exit status'),
      }),
    ])
    .exactOptional()
    .describe('Standard output, or a map with stdout, stderr and exit_code; without it, nothing and 0'),
  error: z
    .strictObject({
      code: errorCode,
      message: errorMessage,
      status: z.int().min(1).max(255).default(1).describe('Exit status'),
    })
    .exactOptional()
    .describe('Fails with `CODE: message` on stderr, instead of the response'),
  metadata,
});
export type CommandMock = z.infer<typeof CommandMock>;
