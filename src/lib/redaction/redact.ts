import { parseJson } from '../json.js';
import { createEncodedMask, createExactMask, encodings, MARKER, usableSecrets, MIN_LENGTH } from './redact-exact.js';
import { isPlainWord, isSecretFlag } from './redact-flags.js';
import { isPlainValue, isSecretName, maskPatterns } from './redact-patterns.js';

/** The mark in messages in place of a part that was left out. */
const CUT = '…';

interface Place {
  value: string;
  /** The index in the value at which the window begins. */
  at: number;
}

/**
 * Creates a function that masks what remains of a value after a cut: messages are shortened before they are redacted,
 * and nine tenths of a key are as good as the key. Before an ellipsis it masks the beginning of a value, after one the
 * end. Remains that are shorter than the shortest secret are not masked.
 */
function createCutMask(values: () => Iterable<string>): (text: string) => string {
  // Created on demand, because most redactors never see a cut text.
  let windows: Map<string, Place[]> | undefined;
  const placesOf = (window: string): Place[] => (windows ??= windowsOf(values())).get(window) ?? [];
  /** Returns how many characters at the end of `text` are the beginning of a value. */
  const beginningIn = (text: string): number =>
    longest(placesOf(text.slice(-MIN_LENGTH)), ({ value, at }) =>
      text.endsWith(value.slice(0, at + MIN_LENGTH)) ? at + MIN_LENGTH : 0,
    );
  /** Returns how many characters at the start of `text` are the end of a value. */
  const endIn = (text: string): number =>
    longest(placesOf(text.slice(0, MIN_LENGTH)), ({ value, at }) =>
      text.startsWith(value.slice(at)) ? value.length - at : 0,
    );
  return (text) => {
    if (!text.includes(CUT)) return text;
    return text
      .split(CUT)
      .map((part, index, parts) => {
        const start = index === 0 ? 0 : endIn(part);
        const rest = part.slice(start);
        const end = index === parts.length - 1 ? 0 : beginningIn(rest);
        const middle = rest.slice(0, rest.length - end);
        return (start > 0 ? MARKER : '') + middle + (end > 0 ? MARKER : '');
      })
      .join(CUT);
  };
}

/** Indexes the values by the characters next to a cut, so that many cuts and long values take little time. */
function windowsOf(values: Iterable<string>): Map<string, Place[]> {
  const windows = new Map<string, Place[]>();
  for (const value of new Set(values)) {
    for (let at = 0; at + MIN_LENGTH <= value.length; at++) {
      const window = value.slice(at, at + MIN_LENGTH);
      const places = windows.get(window);
      if (places === undefined) windows.set(window, [{ value, at }]);
      else places.push({ value, at });
    }
  }
  return windows;
}

const longest = (places: readonly Place[], lengthAt: (place: Place) => number): number =>
  places.reduce((most, place) => Math.max(most, lengthAt(place)), 0);

type Redact = (text: string) => string;

/**
 * Masking a secret may reveal another one beside it, so redaction is repeated until nothing changes, up to this limit.
 */
const MAX_PASSES = 4;

const isJsonText = (text: string): boolean => /^\s*[{["]/.test(text) && parseJson(text) !== undefined;

/** Redacts JSON (the whole text, or single lines of it) string by string, and the other lines as text. */
function redactDocument(text: string, redact: Redact): string {
  if (isJsonText(text)) return redactJson(text, redact);
  if (!text.includes('\n')) return redact(text);
  const pieces: string[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) pieces.push(redact(lines.join('\n')));
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (isJsonText(line)) {
      flush();
      pieces.push(redactJson(line, redact));
    } else lines.push(line);
  }
  flush();
  return pieces.join('\n');
}

/** Masks secrets that span more than a line or a string: JSON documents and multi-line values. */
function createDocumentMask(secrets: string[]): Redact {
  const isDocument = (secret: string): boolean => secret.includes('"') && parseJson(secret) !== undefined;
  // In their encodings too: `"a&amp;b"` is JSON, but the string in it is no encoding of the secret `"a&b"`.
  const forms = secrets.filter((secret) => /^\s*[{["]/.test(secret)).flatMap(encodings);
  const documents = createExactMask([...secrets, ...forms].filter(isDocument), JSON.stringify(MARKER));
  // In their encodings too: a line of such a value may be JSON itself, which is then redacted separately.
  const multiline = createEncodedMask(secrets.filter((secret) => secret.includes('\n') && !isDocument(secret)));
  return (text) => multiline(documents(text));
}

/** Shorter lines also occur in other texts (`"type": "a"`). */
const MIN_LINE = 12;

/** Adds the lines of multi-line values, because output is redacted line by line. */
const withLines = (secrets: string[]): string[] => [
  ...secrets,
  ...secrets
    .filter((secret) => secret.includes('\n'))
    .flatMap((secret) => secret.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE),
];

/**
 * Creates a function that masks secrets in text to be published: first the known values, in all usual encodings, then
 * everything that looks like a secret. JSON stays JSON. Redacting a text again changes nothing.
 */
export function createRedactor(options: { secrets: Iterable<string> }): (text: string) => string {
  const secrets = withLines(usableSecrets(options.secrets));
  const maskDocuments = createDocumentMask(secrets);
  const maskValues = createEncodedMask(secrets);
  const maskCut = createCutMask(() => secrets.flatMap(encodings));
  const redact: Redact = (text) => maskPatterns(maskCut(maskValues(text)));
  return (text) => {
    let current = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const next = redactDocument(maskDocuments(current), redact);
      if (next === current) break;
      current = next;
    }
    return current;
  };
}

/** Returns the index after the string literal that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Redacts the strings in a JSON text one by one, both keys and values. Everything else, including number formats and
 * blanks, stays as it was, and the text stays JSON.
 */
function redactJson(text: string, redact: (text: string) => string): string {
  // A number that is a secret can only be masked as a string.
  const redactBetween = (between: string): string =>
    between.replace(/-?[0-9][0-9.eE+-]*/g, (number) => (redact(number) === number ? number : JSON.stringify(MARKER)));
  let result = '';
  let done = 0;
  let key: string | null = null;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', done)) {
    const between = text.slice(done, start);
    result += redactBetween(between);
    done = endOfString(text, start);
    const literal = text.slice(start, done);
    const value = JSON.parse(literal) as string;
    const sign = key === null ? '' : between.trim();
    const isValueOfSecret = sign === ':' && isSecretName(key ?? '') && !isPlainValue(value);
    // The argument after a flag, in a list.
    const isValueOfFlag = sign === ',' && value !== '' && isSecretFlag(key ?? '') && !isPlainWord(value);
    const redacted = isValueOfSecret || isValueOfFlag ? MARKER : redact(value);
    result += redacted === value ? literal : JSON.stringify(redacted);
    key = value;
  }
  return result + redactBetween(text.slice(done));
}
