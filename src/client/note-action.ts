import { isFull, systemFailure } from '#lib';
import type { AuditVerb } from '#model';
import { ownerOf } from '#planning';
import { type AuditedAction, objectsOf, writeAudit } from '#store';

/** These stop work or free room, and must be possible even if nothing can be written. */
const POSSIBLE_UNNOTED: ReadonlySet<AuditVerb> = new Set(['pause', 'cancel', 'clean']);

/**
 * Notes in the audit what this command is about to do. Call it before: a command that is killed afterwards has left a
 * trace.
 *
 * @throws if it cannot be written. There is only a warning if the disk is full, since what needs room fails or waits by
 *   itself, or if the action stops work or frees room
 */
export async function noteAction(
  resultsPath: string,
  action: AuditedAction,
  report: (text: string) => void,
): Promise<void> {
  const who = ownerOf(null, process.env);
  try {
    await writeAudit(await objectsOf(resultsPath), { who, ...action });
  } catch (error) {
    if (!isFull(error) && !POSSIBLE_UNNOTED.has(action.verb)) throw error;
    report(`warning: the audit cannot be written: ${systemFailure(error) ?? (error as Error).message}`);
  }
}
