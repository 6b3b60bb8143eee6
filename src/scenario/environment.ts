import { z } from 'zod';
import { exactlyOne, inSchema, nonBlank, seconds } from '#input';

/** An argument of a command line: one word that is no option. */
const WORD = /^[^-\s]\S*$/;

/** The name of what a container or sandbox is made from. `like` describes such a name. */
const madeFrom = (what: string, like: string): z.ZodString => inSchema(nonBlank(what).check(z.regex(WORD, like)), WORD);

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const NAMED = 'a namespace is named like team-a, with at most 63 small letters, digits and hyphens';

/** Time limit of a build if nothing else sets one. */
export const BUILD_SECS = 600;
/** A day. */
export const LONGEST_BUILD_SECS = 24 * 3600;

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
  z
    .strictObject({
      type: z.literal('docker').describe('A container of its own for each run'),
      image: madeFrom('the name of an image', 'an image is named like debian:12, without blanks')
        .exactOptional()
        .describe('An image that is on this machine; nothing is downloaded'),
      build: nonBlank('the path of a folder')
        .exactOptional()
        .describe(
          'In place of `image`: a folder with a Dockerfile, relative to the scenario file, of which it is built',
        ),
      build_timeout_secs: seconds
        .max(LONGEST_BUILD_SECS)
        .exactOptional()
        .describe(`Time limit of the build in seconds; ${BUILD_SECS} without it`),
      cpus: z
        .number()
        .positive()
        .exactOptional()
        .describe('The most processors that it uses; no more than the machine has'),
      memory_mb: z.int().min(6).exactOptional().describe('The most memory that it uses, in MiB'),
      network: z.literal('none').exactOptional().describe('`none`: it has no network'),
      command: z.enum(['docker', 'podman']).default('docker').describe('The command line of containers'),
    })
    .check(exactlyOne(['image', 'build']))
    .meta({ oneOf: [{ required: ['image'] }, { required: ['build'] }] }),
  z.strictObject({
    type: z.literal('e2b').describe('A cloud sandbox of E2B of its own for each run'),
    template: madeFrom('the name of a template', 'a template is named like base, without blanks')
      .default('base')
      .describe('The template of E2B that the sandbox is made from'),
    timeout_secs: seconds
      .default(3600)
      .describe('The sandbox ends when the worker has not extended its life for this long'),
  }),
  z.strictObject({
    type: z.literal('kubernetes').describe('A pod of Kubernetes of its own for each run'),
    image: madeFrom('the name of an image', 'an image is named like debian:12, without blanks').describe(
      'The image of the pod, which its node gets if it does not have it',
    ),
    context: nonBlank('the name of a context of kubectl')
      .exactOptional()
      .describe('The context of kubectl; the current one without it'),
    namespace: inSchema(nonBlank('the name of a namespace').check(z.regex(NAMESPACE, NAMED)), NAMESPACE)
      .exactOptional()
      .describe('The namespace of the pod; that of the context without it'),
    cpus: z.number().positive().exactOptional().describe('The processors that it asks for and at most uses'),
    memory_mb: z.int().min(6).exactOptional().describe('The memory that it asks for and at most uses, in MiB'),
    network: z
      .literal('none')
      .exactOptional()
      .describe('`none`: it has no network, which is tried before the agent starts'),
    user: z
      .int()
      .min(0)
      .exactOptional()
      .describe('Id of the user of everything in the pod; that of the image without it'),
    timeout_secs: seconds.default(3600).describe('The pod ends when no worker has used it for this long'),
    start_timeout_secs: seconds.default(300).describe('The time in which a node must be found, and have the image'),
  }),
]);
