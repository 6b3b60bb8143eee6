import { MARKER } from './redact-exact.js';

/* `--password hunter2`: a flag whose name ends like that of a secret, and the word after it. Prose and help texts
   contain such flags too (`--token option`, `--password string`), so short plain words and usual placeholders are not
   masked. */

const LAST = '(?:password|passwd|passphrase|secret|token|(?:api|access|private|secret|signing)-?key)';
const NAME = `(?:[a-z0-9]{1,20}-){0,4}${LAST}`;
const FLAG = `--?${NAME}`;
const START = String.raw`(?:(?<![A-Za-z0-9_/.-])|(?<=\\[nrt]))`;
const QUOTED = String.raw`"(?:[^"\\\r\n]){1,8192}"|'(?:[^'\\\r\n]){1,8192}'|\\{1,7}"(?:[^"'\\\r\n]){1,8192}\\{1,7}"`;
const BARE = String.raw`[^\s"'\\;|&()<>{}[\],${'`'}-][^\s"'\\;|&()<>${'`'}]{0,8192}`;

const flagAndValue = new RegExp(`(${START}${FLAG}[ \\t])(?:(${QUOTED})|(${BARE}))`, 'gi');
/** Takes a fraction of the time; nearly every text contains no such flag. */
const anyFlag = new RegExp(`-${LAST}[ \\t]`, 'i');
const flagAlone = new RegExp(`^${FLAG}$`, 'i');
const quotes = /^(\\*["'])(.*?)(\\*["'])$/s;

const variable = /^\$(?:$|[{(]|[A-Z_][A-Z0-9_]*$)/;
const number = /^[-+]?\d[\d.,_]{0,5}$/;
const shortWord = /^[A-Za-z]{1,5}[.:,]?$/;
const placeholder = /^[A-Z][A-Z_]*$/;
const usualWord =
  /^(?:string|strings|number|integer|values?|(?:pass)?words?|passphrases?|secrets?|tokens?|options?|flags?|arguments?|parameters?|variables?|environment|instead|should|default|required|optional|before|between|without|through|because|cannot|prompt|support|settings?)[.:,]?$/i;

/** True if a word after such a flag reveals nothing. */
export const isPlainWord = (word: string): boolean =>
  [variable, number, shortWord, placeholder, usualWord].some((plain) => plain.test(word));

/** True if the next argument of a command line is a secret. */
export const isSecretFlag = (argument: string): boolean => flagAlone.test(argument);

/** Masks the values of flags such as `--password`. */
export const maskFlags = (text: string): string => (anyFlag.test(text) ? text.replace(flagAndValue, maskValue) : text);

function maskValue(all: string, flag: string, quoted?: string, bare?: string): string {
  if (bare !== undefined) return isPlainWord(bare) || bare.startsWith(MARKER) ? all : flag + MARKER;
  const [, open = '', content = '', close = ''] = quotes.exec(quoted ?? '') ?? [];
  return isPlainWord(content) || content.includes(MARKER) ? all : flag + open + MARKER + close;
}
