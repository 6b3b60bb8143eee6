import { z } from 'zod';
import { KeptText } from './redact-fields.js';

/** The host of a run: a machine or container with a worker. */
export const RunHost = z.object({
  id: KeptText.describe('Id of the host'),
  name: KeptText.describe('Name of the host'),
});

/** A host that had this run before, and showed no sign of life. */
export const LostRunHost = z.object({
  ...RunHost.shape,
  at: KeptText.describe('When it was given up, ISO 8601 in UTC'),
});

/** Says that a run was done again; null if it was not. */
export const runAgainText = (lost: readonly z.infer<typeof LostRunHost>[] = []): string | null =>
  lost.length === 0
    ? null
    : `run again because ${lost.map(({ name, at }) => `host ${name} was lost at ${at}`).join(', and ')}`;
