import { z } from 'zod';
import { exactlyOne, label } from './fields.js';

const agentName = label('the name of an agent').exactOptional();

/** An agent and the models to run it with. The seed's word for agent, `tool`, is an alias. */
export const ToolMatrixEntry = z
  .strictObject({
    agent: agentName,
    tool: agentName,
    models: z.array(label('the name of a model')).default([]),
  })
  .check(exactlyOne(['agent', 'tool']))
  .transform(({ agent, tool, models }) => ({
    agent: agent ?? tool ?? '',
    models: models.length > 0 ? models : ['default'],
  }));
export type ToolMatrixEntry = z.infer<typeof ToolMatrixEntry>;
