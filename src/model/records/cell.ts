import { z } from 'zod';

/** One point of the matrix. `id` is stable and readable; its parts are percent-encoded. */
export const Cell = z.object({
  id: z.string().describe('Id of the cell'),
  scenario: z.string().describe('Name of the scenario'),
  agent: z.string().describe('Name of the agent'),
  model: z.string().describe('Name of the model'),
  variant: z.string().describe('Name of the variant'),
  repetition: z.int().describe('From 1'),
});
export type Cell = z.infer<typeof Cell>;

/** Returns the part of a cell's id that its repetitions share. */
export const configurationOf = (id: string): string => id.slice(0, id.lastIndexOf('/'));
