import { z } from 'zod';
import { exactlyOne, label } from '#input';

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
