import { z } from 'zod';

/** The host of a run: a machine or container with a worker. */
export const Host = z.object({
  id: z.string().describe('Id of the host'),
  name: z.string().describe('Name of the host'),
});
export type Host = z.infer<typeof Host>;

/** A host that had this run before, and gave no sign of life. */
export const LostHost = z.object({
  host: z.string().describe('Name of the host'),
  at: z.string().describe('When it was taken for lost, ISO 8601 in UTC'),
});
export type LostHost = z.infer<typeof LostHost>;

/** Says that a run was done again; null if it was not. */
export const runAgainText = (lost: readonly LostHost[] = []): string | null =>
  lost.length === 0
    ? null
    : `run again because ${lost.map(({ host, at }) => `host ${host} was lost at ${at}`).join(', and ')}`;
