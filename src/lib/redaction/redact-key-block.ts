import { MARKER } from './redact-exact.js';

/** No private key is longer. A block without an end is masked no further than this. */
const MAX_LENGTH = 20_000;
const MAX_LINES = 400;

const LABEL = String.raw`[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`;
const border = new RegExp(`-----(BEGIN|END) ${LABEL}`, 'g');
/** The contents of a block: base64, header lines, newlines (escaped too), and what tools print before each line. */
const body = /(?:[A-Za-z0-9+/=\s,:.→|>]|\\{1,7}(?:[nrt/]|u2192)|-(?!----)){0,20000}/y;

/** A line of base64 within other text. The letter of an escape before it does not belong to it. */
const START = String.raw`(?:(?<![A-Za-z0-9+/\\])|(?<=\\[nrt])|(?<=\\u2192))`;
const CHARACTER = String.raw`(?:[A-Za-z0-9+]|\\{0,7}/)`;
const runs = new RegExp(`${START}(?:${CHARACTER}{16,8192}={0,2}|${CHARACTER}{4,16}={1,2})`, 'g');
const wholeLine = /^\s*(?:\d{1,6}\s{0,4}[→|:\t]?\s*|[>|+]\s*)?[A-Za-z0-9+/]{1,100}={0,2}\s*$/;

const maskRuns = (text: string): string => text.replace(runs, MARKER);

interface Border {
  kind: string;
  start: number;
  end: number;
}

const bordersIn = (text: string): Border[] =>
  text.includes('PRIVATE KEY')
    ? [...text.matchAll(border)].map(({ 0: whole, 1: kind = '', index }) => ({
        kind,
        start: index,
        end: index + whole.length,
      }))
    : [];

/**
 * Masks blocks of private keys, even if a cut has left only the beginning or the end. If there is something else
 * between the lines of a block (quotes, other events), the lines are masked one by one.
 */
export function maskKeyBlocks(text: string): string {
  const borders = bordersIn(text);
  if (borders.length === 0) return text;
  let masked = '';
  let done = 0;
  for (const [index, { kind, start, end }] of borders.entries()) {
    if (start < done) continue;
    const before = borders[index - 1];
    if (kind === 'END') {
      // Text closely after another border belongs to that block, whatever is in between.
      const from = Math.max(done, before?.kind === 'BEGIN' ? 0 : startOfEnd(text, start), start - MAX_LENGTH);
      masked += text.slice(done, from) + maskRuns(text.slice(from, start)) + text.slice(start, end);
      done = end;
      continue;
    }
    body.lastIndex = end;
    const bodyEnd = end + (body.exec(text)?.[0].length ?? 0);
    const next = borders[index + 1];
    masked += text.slice(done, start) + MARKER;
    done = next?.kind === 'END' && next.start === bodyEnd ? next.end : bodyEnd;
  }
  return masked + text.slice(done);
}

/** Returns where the base64 lines before an END begin. */
function startOfEnd(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MAX_LENGTH && /[A-Za-z0-9+/=\s\\]/.test(text[start - 1] ?? '')) start--;
  return start;
}

/**
 * Creates a function that redacts a stream line by line. It also masks the lines of a private key whose borders are on
 * separate lines. Each stream needs its own function.
 */
export function createLineRedactor(redact: (text: string) => string): (line: string) => string {
  let left = 0;
  let inBody = false;
  return (line) => {
    const last = bordersIn(line).at(-1);
    const masked = left === 0 ? redact(line) : maskLine(redact(line));
    if (last === undefined) left = Math.max(0, left - 1);
    else left = last.kind === 'BEGIN' ? MAX_LINES : 0;
    if (last !== undefined) inBody = left > 0;
    return masked;
  };

  function maskLine(line: string): string {
    inBody &&= wholeLine.test(line);
    return inBody ? MARKER : maskRuns(line);
  }
}
