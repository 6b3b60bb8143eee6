import { z } from 'zod';
import { OVERLAPS } from '../schedules/policies.js';
import { ScheduleReference } from '#model';
import { Firing } from './firing.js';

/** A schedule as the `schedule` verbs print it. */
export const ScheduleSummary = z.object({
  schedule: z.string().describe('Its name'),
  when: z.string().describe('The cron expression with its time zone, or the interval'),
  overlap: z.enum(OVERLAPS).describe('What happens at its times while a sweep of it is running'),
  cells: z.number().int().describe('Number of cells of a sweep'),
  created_at: z.string().describe('When it was created or replaced; ISO 8601 UTC'),
  status: z
    .enum(['active', 'paused', 'missing', 'unknown'])
    .describe('`missing`: not on the server; `unknown`: the engine is not running, so it does not fire'),
  next: z.array(z.string()).describe('Its next times; ISO 8601 UTC'),
  running: z.number().int().nullable().describe('Number of firings that are under way; null: unknown'),
  skipped: z.number().int().nullable().describe('Times skipped because a sweep was running; null: unknown'),
  missed: z
    .number()
    .int()
    .nullable()
    .describe('Times missed because the server was not running; null: unknown'),
  reference: ScheduleReference.nullable().describe(
    'The night with which the others are compared; null: none has been complete yet',
  ),
  latest: Firing.nullable().describe('The newest firing that has ended'),
});
export type ScheduleSummary = z.infer<typeof ScheduleSummary>;
