import { closeSync, constants, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { linesOf } from '#host';
import { createYielder, isJsonObject, type Json, parseJson, shortenStrings } from '#lib';
import { type EventBody, isOfProxy, type RunEvent } from '#model';
import { doingText } from '#reports';
import { withNewLogin } from '../run/secrets.js';
import type { LoadedRun } from '../run/context.js';
import { createEventRedactor } from './transcripts.js';

/** In characters. Redaction takes a second per 5 MB, and events.jsonl will have the complete text. */
const MAX_TEXT = 4000;
const MAX_INPUT = 16_000;
/** In bytes. An agent that works for hours must not fill the disk twice. */
const MAX_FILE = 16 * 1024 * 1024;

/** Records what an agent does, redacted, in a file that `show --follow` reads. */
export interface LiveEvents {
  add(event: EventBody): void;
  /** Appends the events that were added since, and returns the agent's last command or message; null: none so far. */
  flush(): Promise<string | null>;
}

/**
 * Events of the proxies of MCP servers are not part of the agent's output, so their order among those of the output is
 * by chance.
 */
type Source = 'output' | 'proxies';
const sourceOf = (event: EventBody): Source => (isOfProxy(event) ? 'proxies' : 'output');

/**
 * Appends to events.live.jsonl. If an earlier worker has already written events of this start, they are not written
 * again: a parser finds the same events in the same output. After the file has been removed, nothing is written.
 */
export function createLiveEvents(context: LoadedRun, start: number, limit = MAX_FILE): LiveEvents {
  const { liveEvents: path } = context.files;
  const yieldIfDue = createYielder();
  let current = context;
  const redactLine = createEventRedactor(() => current.redact);
  let added: EventBody[] = [];
  let doing: string | null = null;
  const counts = { output: 0, proxies: 0 };
  let file: Recorded | null = null;
  return {
    add: (event) => void added.push(shorten(event)),
    async flush() {
      const events = added;
      added = [];
      if (events.length === 0) return doing;
      // Only now: what was added may contain a token that the agent has just received.
      current = await withNewLogin(current);
      const isNew = file === null;
      file ??= recordedIn(path, start);
      const ts = new Date().toISOString();
      let text = file.torn ? '\n' : '';
      file.torn = false;
      for (const body of events) {
        await yieldIfDue();
        const source = sourceOf(body);
        counts[source] += 1;
        const isRecorded = counts[source] <= file.recorded[source];
        const seq = isRecorded ? file.last : ++file.last;
        const line = redactLine(JSON.stringify({ ts, seq, attempt: start, ...body } satisfies RunEvent));
        doing = doingText(JSON.parse(line) as RunEvent) ?? doing;
        if (!isRecorded) text += `${line}\n`;
      }
      file.bytes += Buffer.byteLength(text);
      if (text !== '' && file.bytes <= limit) file.torn = !append(path, text, isNew);
      return doing;
    },
  };
}

function shorten(event: EventBody): EventBody {
  const short = shortenStrings(event, MAX_TEXT);
  if (short.type === 'tool_call') return { ...short, input: beginningOfJson(short.input) };
  if (short.type === 'mcp_call')
    return { ...short, arguments: beginningOfJson(short.arguments), result: beginningOfJson(short.result) };
  return short;
}

function beginningOfJson(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= MAX_INPUT ? value : `${text.slice(0, MAX_INPUT)}…`;
}

interface Recorded {
  /** Number of events of all starts, which is that of the last one. */
  last: number;
  /** Number of events of this start. */
  recorded: Record<Source, number>;
  bytes: number;
  /** True if the last line is not complete. */
  torn: boolean;
}

function recordedIn(path: string, start: number): Recorded {
  const found: Recorded = { last: 0, recorded: { output: 0, proxies: 0 }, bytes: 0, torn: false };
  if (!existsSync(path)) return found;
  for (const { text, end, whole } of linesOf(path)) {
    found.bytes = end;
    // Half a line of a killed worker. It is not removed, because readers may have read it already; they skip it.
    found.torn = !whole;
    const event = parseJson(text);
    if (!whole || !isJsonObject(event)) continue;
    found.last += 1;
    if (event['attempt'] === start) found.recorded[sourceOf(event as unknown as EventBody)] += 1;
  }
  return found;
}

/** Creates the run's folder, but not the results folder: if that was moved away, nothing must be in its place. */
function createFolders(artifacts: string): void {
  for (const folder of [dirname(artifacts), artifacts]) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o755 });
}

/** Returns false if only a part could be written. */
function append(path: string, text: string, mayCreate: boolean): boolean {
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  if (mayCreate) createFolders(dirname(path));
  // A worker that was frozen must not create the file again when the run is over.
  const file = openSync(path, O_WRONLY | O_APPEND | (mayCreate ? O_CREAT : 0), 0o644);
  try {
    return writeSync(file, text) === Buffer.byteLength(text);
  } finally {
    closeSync(file);
  }
}
