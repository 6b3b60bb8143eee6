import { randomBytes } from 'node:crypto';
import { inParallel, parseJson, sha256 } from '#lib';
import { AuditEntry } from '#model';
import type { ObjectStore } from './schedules/schedule-files.js';

/** An action, and its object. */
export type AuditedAction = Pick<AuditEntry, 'verb'> & Partial<Pick<AuditEntry, 'sweep' | 'schedule' | 'older_than'>>;

export const AUDIT = 'audit';
const READ_AT_ONCE = 16;

/** Names sort by time. `once`: two entries of the same time that have the same text are one. */
function auditObject(at: Date, once?: string): string {
  const id = once === undefined ? randomBytes(4).toString('hex') : sha256(once).slice(0, 8);
  return `${AUDIT}/${at.toISOString().replaceAll(':', '-')}-${id}.json`;
}

/** Notes what somebody is about to do. One object for each entry, so that hosts and commands need no lock. */
export async function writeAudit(
  objects: Pick<ObjectStore, 'put'>,
  action: AuditedAction & Pick<AuditEntry, 'who'>,
  { at = new Date(), once }: { at?: Date; once?: string } = {},
): Promise<void> {
  const entry: AuditEntry = { schema_version: 1, at: at.toISOString(), ...action };
  await objects.put(auditObject(at, once), `${JSON.stringify(entry)}\n`);
}

/** Returns the newest entries, oldest first, how many older ones there are, and the names of damaged ones. */
export async function readAudit(
  objects: Pick<ObjectStore, 'get' | 'list'>,
  limit: number,
): Promise<{ entries: AuditEntry[]; older: number; damaged: string[] }> {
  const names = (await objects.list(AUDIT)).filter((name) => name.endsWith('.json')).sort();
  const shown = names.slice(Math.max(0, names.length - limit));
  const read = await inParallel(READ_AT_ONCE, shown, async (name) => {
    const text = (await objects.get(`${AUDIT}/${name}`))?.toString() ?? '';
    return { name, parsed: AuditEntry.safeParse(parseJson(text)) };
  });
  return {
    entries: read.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : [])),
    older: names.length - shown.length,
    damaged: read.flatMap(({ name, parsed }) => (parsed.success ? [] : [name])),
  };
}
