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

/** The base64 of a secret inside a longer text, for each of the three ways it can be aligned there. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.from(' '.repeat(shift) + secret);
    return bytes.toString('base64').slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
}

/** The forms in which a secret is met: as it is, in JSON (also in JSON in JSON), in a URL, in base64. */
export function encodings(secret: string): string[] {
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(bytes.toString());
  const padded = bytes.toString('base64');
  const base64 = [padded, padded.replace(/=+$/, ''), ...base64Cores(secret)];
  const forms = [
    secret,
    json(secret),
    json(json(secret)),
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%../g, (code) => code.toLowerCase()),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return forms.filter(isUsable);
}

/** Masks every occurrence of the values; one that contains or overlaps another is masked whole. */
export function createExactMask(values: Iterable<string>, marker = MARKER): (text: string) => string {
  // Alternatives are tried in order: the longest must come first.
  const longestFirst = [...new Set(values)].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const source = longestFirst.map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const anyValue = new RegExp(source, 'g');
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
