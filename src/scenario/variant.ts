import { z } from 'zod';
import { nonBlank } from '../gates/fields.js';
import { environmentVariables, label, workspaceFile } from './fields.js';

/** What is other in one variant of a scenario; what it does not say is as in the scenario. */
export const Variant = z.strictObject({
  name: label('the name of the variant').describe('Names it in ids and tables; unique in the scenario'),
  template_folder: nonBlank('the name of a fixture folder')
    .exactOptional()
    .describe('A fixture in place of that of the scenario'),
  prompt: nonBlank('the prompt for the agent').exactOptional().describe('A prompt in place of task.prompt'),
  files: z
    .record(workspaceFile, z.string())
    .default({})
    .describe('Files besides setup.files, or in their place: path and content'),
  env: environmentVariables.default({}).describe('Variables besides target.env, or in their place'),
  target_binary: nonBlank('the path of a program')
    .exactOptional()
    .describe("Another build in the target's place: a path from the scenario file, or a name on PATH"),
});
export type Variant = z.infer<typeof Variant>;
