import { z } from 'zod';
import { nonBlank, command, pattern } from '../gates/fields.js';
import { environmentVariables } from './fields.js';

/** The program under test. */
export const Target = z.strictObject({
  binary: nonBlank('the name or path of the program under test').describe(
    'A name on PATH, or a path: in the fixture first, then from the file that says it',
  ),
  command_pattern: pattern
    .exactOptional()
    .describe('RE2 pattern that finds calls of the target; its first group is the name of the command'),
  health_check: command
    .exactOptional()
    .describe('Shell command before the agent; when it fails, the outcome is error and nothing is tested'),
  env: environmentVariables.default({}),
  files: z
    .array(nonBlank('the path of a file or folder of the target'))
    .exactOptional()
    .describe(
      'Files and folders of the target besides its program, as paths from this file; [] for none. Reuse depends on them',
    ),
});
export type Target = z.infer<typeof Target>;

/** In a scenario: the target itself, or the one of the config's `[target]`. */
export const TargetOrConfig = z.union([Target, z.literal('from_config')]);
