import { z } from 'zod';
import { workspacePath } from '#input';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { fail, pass } from '../verdicts.js';
import { statProblem } from '../workspace-file.js';

export const fileExists = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_exists'), ...commonFields, path: workspacePath })
    .describe('A file or folder exists at the path'),
  subject: (spec) => spec.path,
  check: async (spec, context) => {
    const problem = statProblem(spec.path, await context.look(spec.path));
    return problem === null ? pass(`${spec.path} exists`) : fail(problem);
  },
});
