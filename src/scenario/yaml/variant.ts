import { environmentVariables, exactlyOne, label, nonBlank, workspaceFile } from '#input';
import { Subject } from '#subjects';
import { z } from 'zod';

/** The changes that one variant makes to its scenario. Fields that it does not set are as in the scenario. */
export const Variant = z.strictObject({
  name: label('the name of the variant').describe('Shown in ids and tables; unique in the scenario'),
  template_folder: nonBlank('the name of a fixture folder')
    .exactOptional()
    .describe('Replaces the fixture of the scenario'),
  prompt: nonBlank('the prompt for the agent').exactOptional().describe('Replaces task.prompt'),
  subject: Subject.exactOptional().describe('Replaces the subject of the scenario; [] for none'),
  files: z
    .record(workspaceFile, z.string())
    .default({})
    .describe('Added to setup.files; replaces files with the same path'),
  env: environmentVariables.default({}).describe('Added to target.env; replaces variables of the same name'),
  target_binary: nonBlank('the path of a program')
    .exactOptional()
    .describe('Another build, called by the name of the target: a path from the scenario file, or a name on PATH'),
});
export type Variant = z.infer<typeof Variant>;

const agentName = label('the name of an agent').exactOptional();

/** An agent and the models to run it with. `tool`, the Rust original's name for an agent, is an alias. */
export const ToolMatrixEntry = z
  .strictObject({
    agent: agentName.describe('Name of the agent'),
    tool: agentName.describe('The same as agent'),
    models: z
      .array(label('the name of a model'))
      .default([])
      .describe('Models; if empty, those of the agent in the config, else its default'),
  })
  .check(exactlyOne(['agent', 'tool']))
  .meta({ oneOf: [{ required: ['agent'] }, { required: ['tool'] }] })
  .transform(({ agent, tool, models }) => ({
    agent: agent ?? tool ?? '',
    models,
  }));
export type ToolMatrixEntry = z.infer<typeof ToolMatrixEntry>;
