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

/** What shells, forms and editors write in place of single characters. */
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
export const patternOf = (value: string): string =>
  (value.match(/\\+|[^\\]/gsu) ?? [])
    .map((part) => (part.startsWith('\\') ? backslashes(part.length) : oneOf(part)))
    .join('');

/** Returns the longest part of a value that is the same in every pattern; '' if there is none. */
export const anchorOf = (value: string): string =>
  (value.match(/[A-Za-z0-9_]+/g) ?? []).reduce(
    (longest, run) => (run.length > longest.length ? run : longest),
    '',
  );
