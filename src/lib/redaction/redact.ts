import { parseJson } from '../json.js';
import { createCutMask } from './redact-truncated.js';
import { createEncodedMask, createExactMask, encodings, MARKER, usableSecrets } from './redact-exact.js';
import { maskPatterns, isPlainValue, isSecretName } from './redact-patterns.js';
import { isPlainWord, isSecretFlag } from './redact-flags.js';

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
  const multiline = createEncodedMask(
    secrets.filter((secret) => secret.includes('\n') && !isDocument(secret)),
  );
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
    between.replace(/-?[0-9][0-9.eE+-]*/g, (number) =>
      redact(number) === number ? number : JSON.stringify(MARKER),
    );
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
