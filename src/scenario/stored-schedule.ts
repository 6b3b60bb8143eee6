import { z } from 'zod';
import { isCronTime, parseCron, schemaVersion } from '#lib';
import { FAIL_ON, OVERLAPS } from '#decide';
import { Plan } from './plan.js';

/** A plan without what belongs to a single sweep. */
export const PlanTemplate = Plan.omit({ sweep: true, created_at: true });
export type PlanTemplate = z.infer<typeof PlanTemplate>;

const When = z.union([
  z.object({ cron: z.string(), timezone: z.string() }),
  z.object({ every_secs: z.number().int().positive() }),
]);
export type When = z.infer<typeof When>;

/**
 * `schedules/<name>.json`: when and how sweeps of a schedule run, and the plan that they share. It contains names
 * of environment variables, never their values.
 */
export const StoredSchedule = z.object({
  schema_version: schemaVersion(1),
  schedule: z.string(),
  created_at: z.string(),
  when: When,
  overlap: z.enum(OVERLAPS),
  jitter_secs: z.number().int().nonnegative(),
  /** How late a firing that the server has missed may begin. */
  catch_up_secs: z.number().int().positive(),
  fail_on: z.enum(FAIL_ON),
  /** Another place for the JUnit report, an absolute path. */
  junit: z.string().nullable(),
  /** Name of the variable with the URL. */
  webhook: z.string().nullable(),
  /** Absolute path of the file with variables, which is read at each firing. */
  env_file: z.string().nullable(),
  /** Names of the variables whose values the runs need. */
  variables: z.array(z.string()),
  plan: PlanTemplate,
});
export type StoredSchedule = z.infer<typeof StoredSchedule>;

/** Whether a schedule fires at this moment (ms since the epoch). */
export function isScheduledTime(when: When, at: number): boolean {
  if ('every_secs' in when) return at % (when.every_secs * 1000) === 0;
  const parsed = parseCron(when.cron);
  return parsed.ok && isCronTime(parsed.times, when.timezone, at);
}
