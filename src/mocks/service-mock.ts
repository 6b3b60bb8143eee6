import { z } from 'zod';
import { IS_FUNCTION } from './matcher.js';
import { agent, errorCode, errorMessage, matcher, metadata, scenario, template } from './mock-fields.js';
import { STEPS_INTO, type Placeholders } from './template.js';

const PLACEHOLDERS: Placeholders = {
  known: new RegExp(
    String.raw`^(args\[\d+\]${STEPS_INTO}|input${STEPS_INTO}|context\.(agentName|roomId|entityId|action|turn|agent|scenario|argsCount|hasObjectArgs|timestamp))$`,
  ),
  examples: ['args[0]', 'args[0].name', 'input.name', 'context.action'],
};

const name = (what: string) =>
  z.string({ error: ({ input }) => (input === undefined ? `missing: expected ${what}` : undefined) });

const text = z.string().exactOptional();

const When = z.strictObject({
  args: z.array(z.json()).exactOptional().describe('All arguments, exactly'),
  partialArgs: z
    .array(z.json())
    .exactOptional()
    .describe('What the first arguments must be, in this order; a map needs only the keys given here'),
  input: z
    .record(z.string(), z.json())
    .exactOptional()
    .describe('Keys that the maps among the arguments must have together; texts and numbers are `arg0`, `arg1`, ...'),
  context: z
    .strictObject({
      agentName: text.describe('Name of the character'),
      roomId: text.describe('Id of the room'),
      entityId: text.describe('Id of the speaker'),
      action: text.describe('Name of the action that calls the service'),
      turn: z.int().min(1).exactOptional().describe('Turn of the conversation, from 1'),
      agent,
      scenario,
      argsCount: z.int().min(0).exactOptional().describe('Number of arguments'),
      hasObjectArgs: z.boolean().exactOptional().describe('Whether one of them is a map or a list'),
    })
    .exactOptional()
    .describe('Where the call is made'),
  matcher,
});

/** A method of an agent's service that answers as the scenario says instead of doing its work. */
export const ServiceMock = z.strictObject({
  service: name('the name of a service').min(1).describe('Name of the service (its serviceType)'),
  method: name('the name of a method')
    .regex(/^[A-Za-z_$][\w$]*$/, 'expected the name of a method, like readFile')
    .describe('Name of its method'),
  when: When.prefault({}).describe('Which calls it answers; all parts must be true'),
  response: z.json().exactOptional().describe('The value that it returns; without it, nothing'),
  responseFn: template(PLACEHOLDERS)
    .refine((written) => !IS_FUNCTION.test(written), {
      error: 'JavaScript is not run; write a template, like {"title": "${args[0]}"}',
    })
    .exactOptional()
    .describe('A template of the value, instead of the response; if it begins with { or [, it is JSON'),
  error: z
    .strictObject({
      code: errorCode,
      message: errorMessage,
      status: z.int().exactOptional().describe('A number that the error has too'),
    })
    .exactOptional()
    .describe('Throws an error with the message `CODE: message`, instead of the response'),
  metadata,
});
export type ServiceMock = z.infer<typeof ServiceMock>;
