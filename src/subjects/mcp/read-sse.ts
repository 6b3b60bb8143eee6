/** An event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The data as bytes, since what it contains is passed on unchanged; a line break between its lines. */
  data: Buffer;
  event: string;
  /** The id of the last event that had one; null if there was none. */
  id: string | null;
}

export interface SseReader {
  add(chunk: Buffer): void;
  /** Milliseconds after which the server wants a client to come back; null if it did not say. */
  retryMs(): number | null;
}

const COLON = 58;
const [LF, CR, SPACE] = [10, 13, 32];

/** Reads server-sent events from a stream of bytes. Lines may end with CR, LF or both. */
export function readSse(onEvent: (event: ServerSentEvent) => void): SseReader {
  let line: Buffer[] = [];
  let data: Buffer[] = [];
  let event = '';
  let id: string | null = null;
  let retry: number | null = null;
  let wasCr = false;
  let isFirst = true;

  function field(all: Buffer): void {
    const bytes = isFirst && all.subarray(0, 3).equals(BOM) ? all.subarray(3) : all;
    isFirst = false;
    if (bytes.length === 0) {
      if (data.length > 0) onEvent({ data: joined(data), event: event === '' ? 'message' : event, id });
      [data, event] = [[], ''];
      return;
    }
    const colon = bytes.indexOf(COLON);
    const name = (colon === -1 ? bytes : bytes.subarray(0, colon)).toString();
    const begin = colon === -1 ? bytes.length : colon + (bytes[colon + 1] === SPACE ? 2 : 1);
    const value = bytes.subarray(begin);
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value.toString();
    else if (name === 'id') id = value.toString();
    else if (name === 'retry' && /^\d+$/.test(value.toString())) retry = Number(value.toString());
  }

  return {
    add(chunk) {
      let begin = wasCr && chunk[0] === LF ? 1 : 0;
      wasCr = false;
      for (let at = begin; at < chunk.length; at++) {
        if (chunk[at] !== LF && chunk[at] !== CR) continue;
        field(Buffer.concat([...line, chunk.subarray(begin, at)]));
        line = [];
        if (chunk[at] === CR) {
          if (at + 1 === chunk.length) wasCr = true;
          else if (chunk[at + 1] === LF) at += 1;
        }
        begin = at + 1;
      }
      if (begin < chunk.length) line.push(Buffer.from(chunk.subarray(begin)));
    },
    retryMs: () => retry,
  };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const joined = (lines: Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((each, index) => (index === 0 ? [each] : [Buffer.from('\n'), each])));
