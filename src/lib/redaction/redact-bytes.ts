import { MARKER, usableSecrets } from './redact-exact.js';

interface Span {
  start: number;
  end: number;
}

function find(bytes: Buffer, secrets: Buffer[]): Span[] {
  const spans: Span[] = [];
  for (const secret of secrets) {
    for (let start = bytes.indexOf(secret); start !== -1; start = bytes.indexOf(secret, start + 1)) {
      spans.push({ start, end: start + secret.length });
    }
  }
  return spans.sort((a, b) => a.start - b.start);
}

function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/**
 * Creates a function that masks known secret values, and nothing else, in the bytes of a file. It returns null if there
 * are none. A binary file (one with a NUL byte) keeps its length, so that offsets in it stay valid.
 */
export function createBytesRedactor(options: { secrets: Iterable<string> }): (bytes: Buffer) => Buffer | null {
  const secrets = usableSecrets(options.secrets).map((secret) => Buffer.from(secret));
  return (bytes) => {
    const spans = merge(find(bytes, secrets));
    if (spans.length === 0) return null;
    const binary = bytes.includes(0);
    const parts: Buffer[] = [];
    let done = 0;
    for (const { start, end } of spans) {
      const length = end - start;
      parts.push(bytes.subarray(done, start));
      parts.push(Buffer.from(binary ? MARKER.padEnd(length, '*').slice(0, length) : MARKER));
      done = end;
    }
    return Buffer.concat([...parts, bytes.subarray(done)]);
  };
}
