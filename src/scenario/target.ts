import { z } from 'zod';
import { nonBlank, command, pattern } from '../gates/fields.js';
import { environmentVariables } from './fields.js';

/** The program under test. */
export const Target = z.strictObject({
  binary: nonBlank('the name or path of the program under test'),
  /** RE2; finds calls of the binary in transcripts without structured events. */
  command_pattern: pattern.exactOptional(),
  /** Run before the agent starts; when it fails, so does the attempt to test. */
  health_check: command.exactOptional(),
  env: environmentVariables.default({}),
});
export type Target = z.infer<typeof Target>;

/** In a scenario: the target itself, or the one of the config's `[target]`. */
export const TargetOrConfig = z.union([Target, z.literal('from_config')]);
