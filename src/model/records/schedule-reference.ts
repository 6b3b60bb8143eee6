import { z } from 'zod';
import { schemaVersion } from '#lib';

/** `schedules/<name>/reference.json`: the night with which those after it are compared. */
export const ScheduleReference = z.object({
  schema_version: schemaVersion(1).describe('Version of the format'),
  schedule: z.string().describe('Name of the schedule'),
  sweep: z.string().describe('Sweep of the night'),
  firing: z.string().describe('Its firing'),
  accepted_at: z
    .string()
    .nullable()
    .describe('When `schedule accept` chose it; ISO 8601 UTC; null: it is the first complete night'),
});
export type ScheduleReference = z.infer<typeof ScheduleReference>;
