/** Finds the lines in a stream of bytes. */
export interface LineSplitter {
  add(chunk: Buffer): void;
  /** True if the stream is between two lines. */
  isBetween(): boolean;
  /** The beginning of a line that was not ended; null between two lines. */
  rest(): Buffer | null;
}

/** A line, without the character that ends it. */
export interface SplitLine {
  /** The whole line, or its beginning and its end if it is too long. */
  parts: Buffer[];
  bytes: number;
  isWhole: boolean;
}

/** The number of bytes that are kept of the beginning and the end of a line that is too long. */
const KEPT = 64 * 1024;

/** Calls `onLine` with each line. Of lines that have more than `limit` bytes, only a part is kept in memory. */
export function splitLines(onLine: (line: SplitLine) => void, limit = Infinity): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let end: Buffer | null = null;

  const keep = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= limit) {
      parts.push(part);
      return;
    }
    if (end === null) {
      const beginning = Buffer.concat([...parts, part]).subarray(0, KEPT);
      parts = [Buffer.from(beginning)];
    }
    end = Buffer.from(Buffer.concat([end ?? Buffer.alloc(0), part]).subarray(-KEPT));
  };
  const finish = (): void => {
    const line = { parts: end === null ? parts : [...parts, end], bytes, isWhole: end === null };
    [parts, bytes, end] = [[], 0, null];
    onLine(line);
  };
  return {
    add(chunk) {
      let begin = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, begin)) {
        keep(chunk.subarray(begin, at));
        begin = at + 1;
        finish();
      }
      if (begin < chunk.length) keep(chunk.subarray(begin));
    },
    isBetween: () => bytes === 0,
    rest: () => (bytes === 0 ? null : Buffer.concat(parts)),
  };
}
