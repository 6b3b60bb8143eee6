import { shellWord } from '#lib';

/** Lines of a script that export variables. A script comes on standard input, where nobody can read them. */
export const exports = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');

/** Quotes a word of a script, whatever it contains. NUL, which no shell can hold, is left out. */
export const quoted = (word: string): string => (word === '' ? "''" : shellWord(word.replaceAll('\0', '')));
