import { z } from 'zod';
import { inSchema, nonBlank, seconds } from '#input';

/** An argument of a command line: one word that is no option. */
const WORD = /^[^-\s]\S*$/;

/** The name of what a container or sandbox is made from. `like` describes such a name. */
const madeFrom = (what: string, like: string): z.ZodString => inSchema(nonBlank(what).check(z.regex(WORD, like)), WORD);

/**
 * Where the agent and the checks run, as people write it and as plans store it. `auto` is `bubblewrap` if that works,
 * else `local`.
 */
export const Environment = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('local').describe('this machine, where the agent can read and write what you can'),
  }),
  z.strictObject({ type: z.literal('bubblewrap').describe('a sandbox of bubblewrap (Linux)') }),
  z.strictObject({ type: z.literal('auto').describe('bubblewrap where it works, else local') }),
  z.strictObject({
    type: z.literal('docker').describe('A container of its own for each run'),
    image: madeFrom('the name of an image', 'an image is named like debian:12, without blanks').describe(
      'An image that is on this machine; nothing is downloaded',
    ),
    command: z.enum(['docker', 'podman']).default('docker').describe('The command line of containers'),
  }),
  z.strictObject({
    type: z.literal('e2b').describe('A cloud sandbox of E2B of its own for each run'),
    template: madeFrom('the name of a template', 'a template is named like base, without blanks')
      .default('base')
      .describe('The template of E2B that the sandbox is made from'),
    timeout_secs: seconds
      .default(3600)
      .describe('The sandbox ends when the worker has not extended its life for this long'),
  }),
]);
