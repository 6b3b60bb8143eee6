const jsonString = (text: string): string => JSON.stringify(text).slice(1, -1);

const hexOf = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, '0');

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
    // Go and Rails escape what could be HTML markup or end a line; others also what is not ASCII; .NET also quotes and plus signs.
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
export const wholeForms = (value: string): string[] => [...inBase64(value), ...inHex(value)];
