import { z } from 'zod';
import { schemaVersion } from '#lib';
import { KeptText } from './redact-fields.js';

/** An offered run that a host declined, and the reason. */
const Declined = z.object({
  /** The offer: scenario, agent and model. */
  what: z.string(),
  reason: z.string(),
  /** Since when the host has been declining it, and when it last did. */
  since: z.string(),
  at: z.string(),
});
export type Declined = z.infer<typeof Declined>;

/** A host's record of itself with each sign of life, in the shared results. */
export const HostRecord = z.object({
  schema_version: schemaVersion(1),
  id: z.string(),
  name: z.string(),
  /** Changes with every sign of life. */
  sign: z.number(),
  /** When it was shown, by the clock of the host. */
  at: z.string(),
  /** True if the host takes no more runs. It keeps those it has, and stays when they are over. */
  draining: z.boolean(),
  version: z.string(),
  build: z.string(),
  /** Workflows of a sweep are only given to hosts with the highest number. */
  protocol: z.number(),
  slots: z.number(),
  labels: z.array(z.string()),
  /** The agents that it was limited to; null if to none. */
  agents: z.array(z.string()).nullable(),
  /** Workflows of the runs that have a slot, and since when. */
  runs: z.array(z.object({ workflow_id: z.string(), since: z.string() })),
  /** The newest offers that it declined. */
  declined: z.array(Declined),
});
export type HostRecord = z.infer<typeof HostRecord>;

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
