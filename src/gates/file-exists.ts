import { z } from 'zod';
import { commonFields, workspacePath } from './fields.js';
import { defineGate } from './gate.js';
import { fail, pass } from './verdicts.js';
import { lookProblem } from './workspace-file.js';

export const fileExists = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_exists'), ...commonFields, path: workspacePath })
    .describe('There is a file or a folder at the path'),
  subject: (spec) => spec.path,
  check: async (spec, context) => {
    const problem = lookProblem(spec.path, await context.look(spec.path));
    return problem === null ? pass(`${spec.path} exists`) : fail(problem);
  },
});
