import { z } from 'zod';
import { scriptPaths } from './script-name.js';

/** The fields by which a scenario names an agent script and its arguments. */
export const scriptFields = {
  script: z
    .string()
    .refine((name) => scriptPaths(name) !== null, {
      error: 'expected the name of an agent script, like check-coverage or coverage/check',
    })
    .describe('Agent script of the workspace: its folder in .agents/scripts, or the path of its run.ts'),
  args: z.array(z.string()).default([]).describe('Arguments of the script'),
};
