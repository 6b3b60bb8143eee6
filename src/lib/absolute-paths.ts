import { isAbsolute, normalize } from 'node:path/posix';

/** Shared by everything on a machine, or no files: what is in them says nothing about one run. */
const NOT_INPUT = new Set(['/', '/dev', '/proc', '/sys', '/tmp', '/var/tmp']);

const QUOTED = /"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;
/** Words without quotes, in which a backslash takes the next character as it is. */
const ESCAPED = /(?:\\.|[^\s'"`;|&<>()=:\\])+/gs;
const PLAIN = /[\s'"`;|&<>()=:]+/;

const unescape = (text: string): string => text.replaceAll(/\\(.)/gs, '$1');

/**
 * Absolute paths that a command or the value of a variable may name, however they are quoted; some may be no paths at
 * all. More is better than less: what does not exist is told apart by who looks.
 */
export function absolutePaths(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, double, single]) =>
    double === undefined ? (single ?? '') : unescape(double),
  );
  const escaped = [...text.matchAll(ESCAPED)].map(([word]) => unescape(word));
  const plain = text.split(PLAIN);
  // `--file="/a b"` and `/a\ b/"c d"`: quotes within a word.
  const joined = unquotedWords(text);
  // A script within the command: `python3 -c "open('/a b')"`.
  const within = quoted.flatMap(absolutePaths);
  const all = [text, ...quoted, ...within, ...escaped, ...plain, ...joined, ...joined.flatMap(afterSigns)];
  const paths = all.filter(isAbsolute).map((path) => normalize(path).replace(/(?<=.)\/$/, ''));
  return [...new Set(paths)].filter((path) => !NOT_INPUT.has(path)).sort();
}

const afterSigns = (word: string): string[] => word.split(/[=:]/);

/** Words as a shell would put them together from quoted and unquoted parts. */
const unquotedWords = (text: string): string[] =>
  [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s'"`;|&<>()\\])+/gs)].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_, double, single, char): string =>
      typeof double === 'string' ? unescape(double) : String(single ?? char),
    ),
  );
