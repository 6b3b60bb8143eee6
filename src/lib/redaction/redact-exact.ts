import { secretEncodings, wholeForms } from './secret-encodings.js';
import { anchorOf, patternOf } from './secret-pattern.js';

/** What stands in place of a secret. */
export const MARKER = '[REDACTED]';
/** Shorter values occur by chance; masking them would make reports unreadable. */
export const MIN_LENGTH = 6;

const isUsable = (value: string): boolean => value.length >= MIN_LENGTH && !MARKER.includes(value);

/** The values worth masking, each also without the blanks and newlines around it. */
export function usableSecrets(secrets: Iterable<string>): string[] {
  const values = [...secrets].flatMap((secret) => [secret, secret.trim()]);
  return [...new Set(values)].filter(isUsable);
}

/** The forms in which a secret is met. */
export const encodings = (secret: string): string[] => [
  ...new Set(
    Object.values(secretEncodings)
      .flatMap((encode) => encode(secret))
      .filter(isUsable),
  ),
];

/** Masks every occurrence of the values as they are; one that contains or overlaps another is masked whole. */
export const createExactMask = (values: Iterable<string>, marker = MARKER): ((text: string) => string) =>
  createMask([...values], (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), marker);

/** The same for the values in all their encodings. */
export function createEncodedMask(values: readonly string[]): (text: string) => string {
  const forms = values.flatMap((value) => [value, ...wholeForms(value).filter(isUsable)]);
  const mask = createMask(forms, patternOf, MARKER);
  const anchors = [...new Set(forms.map((form) => anchorOf(form).slice(0, MAX_ANCHOR)))];
  // Looking for plain words takes a fraction of the time, and nearly every text has none of them.
  const mayHold = anchors.every((anchor) => anchor.length >= MIN_ANCHOR)
    ? new RegExp(anchors.join('|'))
    : null;
  return (text) =>
    text.length >= MIN_LENGTH && (mayHold === null || mayHold.test(text)) ? mask(text) : text;
}

/** Shorter ones are in most texts. */
const MIN_ANCHOR = 3;
/** Enough to be rare; longer ones take longer to look for. */
const MAX_ANCHOR = 8;

function createMask(
  values: string[],
  toPattern: (value: string) => string,
  marker: string,
): (text: string) => string {
  // Alternatives are tried in order: the longest must come first.
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
