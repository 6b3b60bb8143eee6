import { z } from 'zod';
import { LONGEST_TIMER_SECS } from '../lib/longest-timer.js';
import { PLACEHOLDERS, unknownPlaceholders } from './template.js';

/** The name of a file in a folder of PATH, which needs no quotes in any shell. */
const COMMAND_NAME = /^\w[\w.+-]*$/;

const commandName = z
  .string({
    error: ({ input }) =>
      input === undefined ? 'missing: expected the name of a command, like gh' : undefined,
  })
  .regex(COMMAND_NAME, 'expected the name of a command, like gh: without a path, blanks or a leading dash')
  .refine((name) => name !== 'sh', { error: 'sh cannot be mocked: it runs the commands of the scenario' })
  .describe('Name of the command; it comes first on PATH');

/** Text in which placeholders are replaced with parts of the call. */
const template = z.string().superRefine((text, context) => {
  for (const placeholder of unknownPlaceholders(text))
    context.addIssue({
      code: 'custom',
      message: `unknown placeholder \${${placeholder}}; expected ${PLACEHOLDERS}; $\${...} is the literal text \${...}`,
    });
});

const When = z.strictObject({
  args: z.array(z.string()).exactOptional().describe('All arguments, exactly'),
  partialArgs: z
    .array(z.string())
    .exactOptional()
    .describe('Arguments that the call must contain, in any order'),
  input: z
    .strictObject({
      stdin: z.string().exactOptional().describe('All of standard input; newlines at its end do not count'),
    })
    .exactOptional()
    .describe('What the command is given'),
  context: z
    .strictObject({
      step: z.string().exactOptional().describe('Name of the step in run.json, like `agent` or `gate 1`'),
      agent: z.string().exactOptional().describe('Name of the agent'),
      scenario: z.string().exactOptional().describe('Name of the scenario'),
    })
    .exactOptional()
    .describe('Where the command is called'),
});

/** A command that answers as the scenario says instead of doing its work. */
export const CommandMock = z.strictObject({
  command: commandName,
  when: When.prefault({}).describe('Which calls it answers; all parts must be true'),
  response: z
    .union([
      template,
      z.strictObject({
        stdout: template.default('').describe('Standard output'),
        stderr: template.default('').describe('Standard error'),
        exit_code: z.int().min(0).max(255).default(0).describe('Exit status'),
      }),
    ])
    .exactOptional()
    .describe('Standard output, or a map with stdout, stderr and exit_code; without it, nothing and 0'),
  error: z
    .strictObject({
      code: z.string().describe('A word for the kind of error'),
      message: z.string().describe('What is wrong'),
      status: z.int().min(1).max(255).default(1).describe('Exit status'),
    })
    .exactOptional()
    .describe('Fails with `CODE: message` on stderr, instead of the response'),
  metadata: z
    .strictObject({
      delay: z
        .number()
        .min(0)
        .max(LONGEST_TIMER_SECS * 1000)
        .default(0)
        .describe('Milliseconds before the answer'),
      probability: z.number().min(0).max(1).default(0).describe('The chance that a call fails'),
    })
    .prefault({})
    .describe('Delays and failures'),
});
export type CommandMock = z.infer<typeof CommandMock>;

export const CommandMocks = z.array(CommandMock);
