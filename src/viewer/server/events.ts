import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tailEvents } from '#client';
import { linesOf } from '#host';
import { createYielder, parseJson, shortenStrings, UsageError } from '#lib';
import { EventBody, type RunEvent } from '#model';
import { readEvents, runFiles } from '#store';
import type { EventsLine, MatchesAnswer, ShownEvent } from '../protocol.js';
import { findIn, MAX_MATCHES } from '../shared/find-text.js';
import { findRun, type Place, type RunSource } from './runs.js';
import { nextPoll } from './stream.js';

/** A page shows no more of a text at first. */
const LONGEST = 16_000;
/** Events of a line of the answer. */
const AT_ONCE = 100;
/** The number of looks for the events of a run that is over. */
const LOOKS_FOR_EVENTS = 40;

/** Characters of a transcript after which a page is sent only beginnings of texts: it keeps all events in memory. */
const LONG_TRANSCRIPT = 4_000_000;
const LONGEST_OF_MANY = 400;

/** Cuts the long texts of an event. */
export function shownEvent(event: RunEvent, longest = LONGEST): ShownEvent {
  const { length } = JSON.stringify(event);
  if (length <= longest) return event;
  const shown: RunEvent = shortenStrings(event, longest);
  return JSON.stringify(shown).length < length ? { ...shown, cut: length } : shown;
}

/**
 * Yields what the agent of a run does: of a run that is not over, as it happens, and then once more from its final
 * record, which is complete.
 */
export async function* eventsOf(
  source: RunSource,
  { id, place }: { id: string; place: Place },
  signal: AbortSignal,
): AsyncGenerator<EventsLine, void> {
  const files = runFiles('folder' in place ? place.folder : join(source.resultsPath, id));
  if ('open' in place) {
    yield* liveEvents(files.liveEvents, place.open.isOpen, signal);
    for (let look = 0; look < LOOKS_FOR_EVENTS && !existsSync(files.events); look++)
      if (!(await nextPoll(signal))) return;
    yield { again: true };
  }
  if (existsSync(files.events)) yield* recordedEvents(files.events, signal);
}

async function* liveEvents(file: string, isOpen: () => boolean, signal: AbortSignal): AsyncGenerator<EventsLine, void> {
  const tail = tailEvents(file);
  try {
    for (;;) {
      // Before the events are read, so that none is missed.
      const goesOn = isOpen();
      const events = tail.read();
      for (let at = 0; at < events.length; at += AT_ONCE)
        yield { events: events.slice(at, at + AT_ONCE).map((event) => shownEvent(event)) };
      if (!goesOn || !(await nextPoll(signal))) return;
    }
  } finally {
    tail.close();
  }
}

async function* recordedEvents(file: string, signal: AbortSignal): AsyncGenerator<EventsLine, void> {
  const yieldIfDue = createYielder();
  let events: ShownEvent[] = [];
  let left = LONG_TRANSCRIPT;
  try {
    for (const event of readEvents(file)) {
      await yieldIfDue();
      if (signal.aborted) return;
      const shown = shownEvent(event, left > 0 ? LONGEST : LONGEST_OF_MANY);
      if (left > 0) left -= JSON.stringify(shown).length;
      events.push(shown);
      if (events.length < AT_ONCE) continue;
      yield { events };
      events = [];
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    yield { events };
    yield { problem: error.message };
    return;
  }
  if (events.length > 0) yield { events };
}

/** Returns an event of a run with all of its text; null if there is none with this number. */
export async function wholeEvent(source: RunSource, id: string, seq: number): Promise<RunEvent | null> {
  const file = await fileOfEvents(source, id);
  if (file === null) return null;
  const yieldIfDue = createYielder();
  // Reading every line as JSON would take seconds in a large file.
  const written = `"seq":${seq}`;
  for (const { text } of linesOf(file, Infinity)) {
    await yieldIfDue();
    if (!text.includes(written)) continue;
    const event = parseJson(text);
    if (EventBody.safeParse(event).success && (event as unknown as RunEvent).seq === seq)
      return event as unknown as RunEvent;
  }
  return null;
}

/** Finds the events of a run that contain a text, in all of its transcript, however large it is. */
export async function matchesIn(source: RunSource, id: string, text: string): Promise<MatchesAnswer> {
  const file = await fileOfEvents(source, id);
  const found: MatchesAnswer = { matches: [], more: 0 };
  if (file === null || text === '') return found;
  const yieldIfDue = createYielder();
  // Reading a line as JSON takes longer than looking for the text as it is written in JSON.
  const written = JSON.stringify(text).slice(1, -1).toLowerCase();
  for (const line of linesOf(file, Infinity)) {
    await yieldIfDue();
    if (!line.text.toLowerCase().includes(written)) continue;
    const event = parseJson(line.text);
    const match = event === undefined ? null : findIn(event as unknown as RunEvent, text);
    if (match === null) continue;
    if (found.matches.length < MAX_MATCHES) found.matches.push(match);
    else found.more += 1;
  }
  return found;
}

/** The file with the events of a run, of which the live one is less complete; null if there is none. */
async function fileOfEvents(source: RunSource, id: string): Promise<string | null> {
  const place = await findRun(source, id);
  const files = runFiles('folder' in place ? place.folder : join(source.resultsPath, id));
  return [files.events, files.liveEvents].find((file) => existsSync(file)) ?? null;
}
