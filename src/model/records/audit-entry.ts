import { z } from 'zod';

/** The actions of people on sweeps and schedules. */
const AuditVerb = z.enum([
  'start',
  'pause',
  'resume',
  'cancel',
  'retry',
  'regrade',
  'clean',
  'create',
  'delete',
  'trigger',
  'backfill',
  'accept',
]);
export type AuditVerb = z.infer<typeof AuditVerb>;

/** `audit/<time>-<id>.json`: what somebody was about to do. Written before it is done, and never changed. */
export const AuditEntry = z.object({
  schema_version: z.literal(1),
  at: z.string(),
  /** Null: nobody is known. */
  who: z.string().nullable(),
  verb: AuditVerb,
  sweep: z.string().exactOptional(),
  schedule: z.string().exactOptional(),
  /** For `clean`: the least age of what was deleted. */
  older_than: z.string().exactOptional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
