import { isAbsolute, normalize } from 'node:path/posix';

/** Folders that everything on a machine shares, or that have no files: they say nothing about a single run. */
const NOT_INPUT = new Set(['/', '/dev', '/proc', '/sys', '/tmp', '/var/tmp']);

const QUOTED = /"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;
/** Words without quotes, in which a backslash escapes the next character. */
const ESCAPED = /(?:\\.|[^\s'"`;|&<>()=:\\])+/gs;
const PLAIN = /[\s'"`;|&<>()=:]+/;

const unescape = (text: string): string => text.replaceAll(/\\(.)/gs, '$1');

/**
 * Returns the absolute paths that a command or the value of a variable may refer to, however they are quoted. Some of
 * them may not be paths. Too many are better than too few: the caller checks which of them exist.
 */
export function absolutePaths(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, double, single]) =>
    double === undefined ? (single ?? '') : unescape(double),
  );
  const escaped = [...text.matchAll(ESCAPED)].map(([word]) => unescape(word));
  const plain = text.split(PLAIN);
  // Quotes within a word: `--file="/a b"` and `/a\ b/"c d"`.
  const joined = unquotedWords(text);
  // A script inside the command: `python3 -c "open('/a b')"`.
  const within = quoted.flatMap(absolutePaths);
  const all = [text, ...quoted, ...within, ...escaped, ...plain, ...joined, ...joined.flatMap(afterSigns)];
  const paths = all.filter(isAbsolute).map((path) => normalize(path).replace(/(?<=.)\/$/, ''));
  return [...new Set(paths)].filter((path) => !NOT_INPUT.has(path)).sort();
}

const afterSigns = (word: string): string[] => word.split(/[=:]/);

/** Returns words as a shell would join them from quoted and unquoted parts. */
const unquotedWords = (text: string): string[] =>
  [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s'"`;|&<>()\\])+/gs)].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_, double, single, char): string =>
      typeof double === 'string' ? unescape(double) : String(single ?? char),
    ),
  );
