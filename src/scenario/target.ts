import { z } from 'zod';
import { command, environmentVariables, nonBlank, pattern } from '#input';

/** The program under test. */
export const Target = z.strictObject({
  binary: nonBlank('the name or path of the program under test').describe(
    'A name on PATH, or a path: in the fixture, else relative to the file that names it',
  ),
  command_pattern: pattern
    .exactOptional()
    .describe('RE2 pattern that finds and names calls of the target; without it, calls of the binary count'),
  health_check: command
    .exactOptional()
    .describe('Command before the agent, at most 30 s; if it fails, the outcome is error and no agent starts'),
  env: environmentVariables.default({}),
  files: z
    .array(nonBlank('the path of a file or folder of the target'))
    .exactOptional()
    .describe(
      'Files and folders of the target besides its program, relative to the file that names them; [] for none. For the cache',
    ),
});
export type Target = z.infer<typeof Target>;

/** A scenario's target: the target itself, or `from_config` for the config's `[target]`. */
export const TargetOrConfig = z.union([Target, z.literal('from_config')]);

/** The file in the snapshot of a target that is its program. */
export const TARGET_PROGRAM = 'program';
