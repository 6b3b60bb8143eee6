import { z } from 'zod';
import { schemaVersion } from '#lib';
import { OVERLAPS } from '../schedules/policies.js';
import { Usd, ScheduleReference } from '#model';
import { FollowedNights, NightCount } from './nights.js';
import { Gate } from '../comparison/gate.js';
import { Totals } from '../totals.js';

/** One firing of a schedule: latest.json, a file in `firings/`, and what the webhook gets. */
export const Firing = z.object({
  schema_version: schemaVersion(1).describe('Version of the format'),
  schedule: z.string().describe('Name of the schedule'),
  firing: z.string().describe('Its time, which names its file'),
  scheduled_at: z.string().describe('When it was due; ISO 8601 UTC'),
  triggered: z.boolean().describe('Whether `schedule trigger` started it'),
  workflow: z.string().describe('Run id of its workflow'),
  sweep: z.string().nullable().describe('Its sweep; null: none was started'),
  status: z
    .enum(['running', 'completed', 'cancelled', 'lost', 'not started'])
    .describe('Status of the sweep; `lost`: its workflow was terminated or failed'),
  exit_code: z
    .union([z.literal(0), z.literal(1), z.literal(3), z.literal(4), z.literal(130)])
    .nullable()
    .describe('Null: not ended'),
  compared_with: z
    .string()
    .nullable()
    .describe('The reference of the schedule; null: there is none, or nothing was compared'),
  verdict: Gate.shape.result
    .nullable()
    .describe('Whether the nights since the reference have become worse, up to this one'),
  reasons: z.array(z.string()).describe('Why nothing was started, or the verdict is worse, undecided or not tested'),
  nights: FollowedNights.nullable().describe('What the nights from the reference on show; null: there is none'),
  configurations: z.array(NightCount).describe('What this night has shown of each configuration; empty: nothing'),
  warnings: z
    .array(z.string())
    .exactOptional()
    .describe('Models that judged either sweep and are not shown to agree with people'),
  totals: Totals.nullable().describe('Numbers of cells'),
  cost_usd: Usd.nullable().describe('Known costs of what was run; null: none is known'),
  ended_at: z.string().nullable().describe('When it ended; ISO 8601 UTC'),
  webhook: z.string().nullable().describe('`sent`, or why it was not; null: not yet, or there is none'),
  text: z.string().describe('The result in a sentence, which chat services show'),
});
export type Firing = z.infer<typeof Firing>;

/** Returns the id of the firing at a time in whole seconds (ms since the epoch): `20261124-030000`, in UTC. */
export const firingId = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

/** A schedule as the `schedule` verbs print it. */
export const ScheduleSummary = z.object({
  schedule: z.string().describe('Its name'),
  when: z.string().describe('The cron expression with its time zone, or the interval'),
  overlap: z.enum(OVERLAPS).describe('What happens at its times while a sweep of it is running'),
  cells: z.int().describe('Number of cells of a sweep'),
  created_at: z.string().describe('When it was created or replaced; ISO 8601 UTC'),
  status: z
    .enum(['active', 'paused', 'missing', 'unknown'])
    .describe('`missing`: not on the server; `unknown`: the engine is not running, so it does not fire'),
  next: z.array(z.string()).describe('Its next times; ISO 8601 UTC'),
  running: z.int().nullable().describe('Number of firings whose sweeps are under way; null: unknown'),
  queued: z.int().nullable().describe('Number of firings that wait for the sweep before them; null: unknown'),
  skipped: z.int().nullable().describe('Times skipped because a sweep was running; null: unknown'),
  missed: z.int().nullable().describe('Times missed because the server was not running; null: unknown'),
  reference: ScheduleReference.nullable().describe(
    'The night with which the others are compared; null: none has been complete yet',
  ),
  latest: Firing.nullable().describe('The newest firing that has ended'),
});
export type ScheduleSummary = z.infer<typeof ScheduleSummary>;
