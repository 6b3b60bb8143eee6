import { existsSync } from 'node:fs';
import { tailLines } from '#host';
import { isJsonObject, parseJson } from '#lib';
import { EventBody, type RunEvent } from '#model';

/** Reads the events of a run that is not over. */
export interface EventTail {
  /** Returns the events that were recorded since the last call. */
  read(): RunEvent[];
  close(): void;
}

/**
 * Follows events.live.jsonl. The file stays open, so that its last events are read even if it has just been removed. A
 * killed worker may have left half a line, and a frozen one may have repeated events: these are skipped.
 */
export function tailEvents(path: string): EventTail {
  const tail = tailLines(path);
  let isOpen = false;
  let seq = 0;
  return {
    read() {
      if (!isOpen && !existsSync(path)) return [];
      const events: RunEvent[] = [];
      try {
        for (const { text } of tail.lines()) {
          const event = eventIn(text);
          if (event === null || event.seq <= seq) continue;
          seq = event.seq;
          events.push(event);
        }
        isOpen = true;
      } catch (error) {
        // Removed just now.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      return events;
    },
    close: () => tail.close(),
  };
}

function eventIn(text: string): RunEvent | null {
  const value = parseJson(text);
  const body = EventBody.safeParse(value).data;
  if (body === undefined || !isJsonObject(value)) return null;
  const { ts, seq, attempt } = value;
  if (typeof ts !== 'string' || typeof seq !== 'number' || typeof attempt !== 'number') return null;
  return { ...body, ts, seq, attempt };
}
