import { z } from 'zod';

/** The actions of people on sweeps and schedules. */
const AUDIT_VERBS = [
  ...(['start', 'pause', 'resume', 'cancel', 'retry', 'regrade', 'clean'] as const),
  ...(['create', 'delete', 'trigger', 'backfill', 'accept'] as const),
] as const;
export type AuditVerb = (typeof AUDIT_VERBS)[number];

/** `audit/<time>-<id>.json`: what somebody was about to do. Written before it is done, and never changed. */
export const AuditEntry = z.object({
  schema_version: z.literal(1),
  at: z.string(),
  /** Null: nobody is known. */
  who: z.string().nullable(),
  verb: z.enum(AUDIT_VERBS),
  sweep: z.string().exactOptional(),
  schedule: z.string().exactOptional(),
  /** Of `clean`: the age from which on data was deleted. */
  older_than: z.string().exactOptional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
