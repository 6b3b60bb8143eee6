import { type Json, plainText } from '#lib/pure';
import type { RunEvent } from '#model';
import type { Match } from '../protocol.js';

/** More are only counted. */
export const MAX_MATCHES = 100;
/** Characters of an event's text before and after what was found. */
const AROUND = 80;
/** The fields of an event that a reader does not see as text. */
const UNSHOWN: ReadonlySet<string> = new Set(['type', 'ts', 'id', 'seq', 'attempt']);

/** Finds a text in an event, whatever its case; null if the event does not contain it. */
export function findIn(event: RunEvent, wanted: string): Match | null {
  for (const text of textsIn(event)) {
    const at = text.toLowerCase().indexOf(wanted.toLowerCase());
    if (at === -1) continue;
    const end = at + wanted.length;
    const before = `${at > AROUND ? '…' : ''}${text.slice(Math.max(0, at - AROUND), at)}`;
    const after = `${text.slice(end, end + AROUND)}${text.length > end + AROUND ? '…' : ''}`;
    return {
      seq: event.seq,
      before: plainText(before),
      found: plainText(text.slice(at, end)),
      after: plainText(after),
    };
  }
  return null;
}

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) if (!UNSHOWN.has(name)) yield* textsIn(part);
}
