import { secretEncodings, wholeForms } from './secret-encodings.js';
import { anchorOf, patternOf } from './secret-pattern.js';

/** The replacement for a secret. */
export const MARKER = '[REDACTED]';
/** Shorter values occur by chance, and masking them would make reports unreadable. */
export const MIN_LENGTH = 6;

const isUsable = (value: string): boolean => value.length >= MIN_LENGTH && !MARKER.includes(value);

/** Returns the values that are worth masking, and each of them without surrounding blanks and newlines. */
export function usableSecrets(secrets: Iterable<string>): string[] {
  const values = [...secrets].flatMap((secret) => [secret, secret.trim()]);
  return [...new Set(values)].filter(isUsable);
}

/** Returns the forms in which a secret can occur. */
export const encodings = (secret: string): string[] => [
  ...new Set(
    Object.values(secretEncodings)
      .flatMap((encode) => encode(secret))
      .filter(isUsable),
  ),
];

/** Creates a function that masks every literal occurrence of the values. Overlapping occurrences are masked as one. */
export const createExactMask = (values: Iterable<string>, marker = MARKER): ((text: string) => string) =>
  createMask([...values], (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), marker);

/** Creates a function that masks the values in all their encodings. */
export function createEncodedMask(values: readonly string[]): (text: string) => string {
  const forms = values.flatMap((value) => [value, ...wholeForms(value).filter(isUsable)]);
  const mask = createMask(forms, patternOf, MARKER);
  const anchors = [...new Set(forms.map((form) => anchorOf(form).slice(0, MAX_ANCHOR)))];
  // Searching for plain words takes a fraction of the time, and nearly every text contains none of them.
  const mayHold = anchors.every((anchor) => anchor.length >= MIN_ANCHOR)
    ? new RegExp(anchors.join('|'))
    : null;
  return (text) =>
    text.length >= MIN_LENGTH && (mayHold === null || mayHold.test(text)) ? mask(text) : text;
}

/** Shorter ones occur in most texts. */
const MIN_ANCHOR = 3;
/** Long enough to be rare. Searching for longer ones takes longer. */
const MAX_ANCHOR = 8;

function createMask(
  values: string[],
  toPattern: (value: string) => string,
  marker: string,
): (text: string) => string {
  // Alternatives are tried in order, so the longest must come first.
  const longestFirst = [...new Set(values)].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const anyValue = new RegExp(longestFirst.map(toPattern).join('|'), 'g');
  return (text) => {
    let masked = '';
    let end = 0;
    anyValue.lastIndex = 0;
    for (let match = anyValue.exec(text); match !== null; match = anyValue.exec(text)) {
      if (match.index >= end) masked += text.slice(end, match.index) + marker;
      end = Math.max(end, match.index + match[0].length);
      anyValue.lastIndex = match.index + 1;
    }
    return masked + text.slice(end);
  };
}
