const jsonString = (text: string): string => JSON.stringify(text).slice(1, -1);

const hexOf = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0');

/** Replaces matching characters by `\u` escapes, in lower and in upper case. */
const unicodeEscapes = (json: string, wanted: RegExp): string[] => [
  json.replace(wanted, (character) => `\\u${hexOf(character, 4)}`),
  json.replace(wanted, (character) => `\\u${hexOf(character, 4).toUpperCase()}`),
];

/** Returns a string as libraries write it in JSON, with the escapes that JSON requires, and those that it allows. */
function inJson(value: string): string[] {
  const json = jsonString(value);
  const forms = [
    json,
    json.replaceAll('/', '\\/'),
    ...[json, json.replaceAll('/', '\\/')].flatMap((text) => unicodeEscapes(text, /[^ -~]/g)),
    // Go and Rails escape what could be HTML markup or end a line; others also what is not ASCII; .NET also quotes and
    // plus signs.
    ...unicodeEscapes(json, /[<>&\u2028\u2029]/g),
    ...unicodeEscapes(json, /[<>&]|[^ -~]/g),
    ...unicodeEscapes(json.replaceAll('\\"', '"'), /["'`<>&+]|[^ -~]/g),
  ];
  return [...forms, ...forms.map(jsonString)];
}

/** Percent-encodes a value by the rules of several libraries, which differ in the characters that they keep. */
function inUrl(value: string): string[] {
  const component = encodeURIComponent(Buffer.from(value).toString());
  const percent = (text: string, characters: RegExp): string =>
    text.replace(characters, (character) => `%${hexOf(character, 2).toUpperCase()}`);
  const strict = percent(component, /[!'()*]/g);
  const forms = [
    component,
    strict,
    strict.replaceAll('%2F', '/'),
    component.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    percent(strict.replaceAll('%20', '+'), /~/g).replaceAll('%2A', '*'),
  ];
  return forms.flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]);
}

const HTML_NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

function inHtml(value: string): string[] {
  const named = value.replace(/[&<>"']/g, (character) => `&${HTML_NAMES[character] ?? ''};`);
  return [
    named,
    named.replaceAll('&apos;', '&#39;'),
    named.replaceAll('&apos;', '&#x27;').replaceAll('&quot;', '&#34;'),
    named.replaceAll('&apos;', "'"),
    value.replace(/[&<>]/g, (character) => `&${HTML_NAMES[character] ?? ''};`),
    value.replace(/[^ -~]|[&<>"']/gu, (character) => `&#${character.codePointAt(0) ?? 0};`),
    value.replace(/[^ -~]|[&<>"']/gu, (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16)};`),
  ];
}

/** Returns a value in single quotes, in double quotes, and with a backslash before each special character. */
const inShell = (value: string): string[] => [
  value.replaceAll("'", String.raw`'\''`),
  value.replaceAll("'", `'"'"'`),
  value.replace(/[\\"$`]/g, String.raw`\$&`),
  value.replace(/[^A-Za-z0-9_\n\u0080-\uFFFF./:=@%+,-]/g, String.raw`\$&`),
];

/** Returns the base64 of a value inside a longer text, for each of the three possible alignments. */
function base64Cores(value: string): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.from(' '.repeat(shift) + value);
    return bytes.toString('base64').slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 4) / 3));
  });
}

function inBase64(value: string): string[] {
  const padded = Buffer.from(value).toString('base64');
  const forms = [padded, padded.replace(/=+$/, ''), ...base64Cores(value)];
  return [...forms, ...forms.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

function inHex(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** The encodings in which stored values are masked, by their names in specs/reference/results.md. */
export const secretEncodings: Record<string, (value: string) => string[]> = {
  'as it is': (value) => [value],
  JSON: inJson,
  URL: inUrl,
  HTML: inHtml,
  shell: inShell,
  base64: inBase64,
  hex: inHex,
};

/** Encodings that change the value as a whole. The others write each character in one of several ways. */
const wholeForms = (value: string): string[] => [...inBase64(value), ...inHex(value)];

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
  const mayHold = anchors.every((anchor) => anchor.length >= MIN_ANCHOR) ? new RegExp(anchors.join('|')) : null;
  return (text) => (text.length >= MIN_LENGTH && (mayHold === null || mayHold.test(text)) ? mask(text) : text);
}

/** Shorter ones occur in most texts. */
const MIN_ANCHOR = 3;
/** Long enough to be rare. Searching for longer ones takes longer. */
const MAX_ANCHOR = 8;

function createMask(values: string[], toPattern: (value: string) => string, marker: string): (text: string) => string {
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

/* The ways to write each character of a value, so that any mixture of rules is found: libraries differ in the
   characters that they escape, and in the case of the digits. */

/** Escapes nest: a quote in JSON in JSON has three backslashes before it. */
const BACKSLASHES = String.raw`\\{1,7}`;
const LETTERS: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };
const NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
const anyCase = (hex: string): string =>
  hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);

const percent = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');

const unicode = (character: string): string =>
  character
    .split('')
    .map((unit) => `${BACKSLASHES}u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('');

function html(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const name = NAMES[character];
  return `&(?:${name === undefined ? '' : `${name}|`}#0{0,6}${point}|#[xX]0{0,6}${anyCase(point.toString(16))});`;
}

/** The forms in which shells, forms and editors write single characters. */
const others: Record<string, string[]> = {
  ' ': [String.raw`\+`],
  "'": [String.raw`'\\{1,7}''`, `'\\\\{0,7}"'\\\\{0,7}"'`],
  '\n': [String.raw`\r\n`, `%0[dD]%0[aA]`],
};

function oneOf(character: string): string {
  if (/[A-Za-z0-9_]/.test(character)) return character;
  const letter = LETTERS[character];
  const escaped = letter ?? (/[ -~]/.test(character) ? literal(character) : null);
  return `(?:${[
    ...(others[character] ?? []),
    ...[unicode(character), percent(character), html(character)],
    ...(escaped === null ? [] : [BACKSLASHES + escaped]),
    ...(letter === undefined ? [] : [`\\\\${literal(character)}`]),
    literal(character),
  ].join('|')})`;
}

/** Treats a run of backslashes as one unit: each may be written as several, and trying all divisions takes for ever. */
function backslashes(count: number): string {
  const each = [unicode('\\'), percent('\\'), html('\\')].map((one) => `(?:${one}){${count}}`);
  return `(?:${[...each, String.raw`\\{${count},${8 * count}}`].join('|')})`;
}

/** Returns the source of a regular expression that finds a value, however its characters are escaped. */
const patternOf = (value: string): string =>
  (value.match(/\\+|[^\\]/gsu) ?? [])
    .map((part) => (part.startsWith('\\') ? backslashes(part.length) : oneOf(part)))
    .join('');

/** Returns the longest part of a value that is the same in every pattern; '' if there is none. */
const anchorOf = (value: string): string =>
  (value.match(/[A-Za-z0-9_]+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');
