import { MARKER } from './redact-exact.js';
import { isPlainWord, isSecretFlag } from './redact-flags.js';
import { isPlainValue, isSecretName } from './redact-patterns.js';

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
export function redactJson(text: string, redact: (text: string) => string): string {
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
