import { stripVTControlCharacters } from 'node:util';

const MOST_LINES = 3000;
const LONGEST_LINE = 500;

/** A line of a help text, without the spaces around it. */
export interface Line {
  indent: number;
  text: string;
  /** What follows the first gap of two or more spaces; null if there is no gap. */
  rest: string | null;
}

/** The parts of a help text; `start` is what comes before the first heading. */
export type Section = 'start' | 'usage' | 'commands' | 'arguments' | 'options' | 'other';

/** Splits a help text into lines, without colours and the overstrikes of manual pages. */
export const linesOf = (text: string): Line[] =>
  stripVTControlCharacters(text)
    .replace(/[^\n]\u0008/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '        ')
    .replace(/[^\P{C}\n]/gu, '')
    .split('\n')
    .slice(0, MOST_LINES)
    .map((line) => {
      const cut = line.slice(0, LONGEST_LINE).trimEnd();
      const text = cut.trimStart();
      const gap = / {2,}(?=\S)/.exec(text);
      const rest = gap === null ? null : text.slice(gap.index + gap[0].length);
      return { indent: cut.length - text.length, text, rest };
    });

/** Returns the section that begins with this line, which is a heading such as `Commands:` or `OPTIONS`; null for other lines. */
export function sectionAt({ indent, text, rest }: Line): Section | null {
  if (rest !== null || indent > 2 || text.length > 80 || text.startsWith('-')) return null;
  if (!text.endsWith(':') && (indent > 0 || !/^[A-Z][A-Z ]{3,}$/.test(text))) return null;
  if (/\b(sub-?)?(commands?|verbs?)\b/i.test(text)) return 'commands';
  if (/\b(options?|flags?|switches)\b/i.test(text)) return 'options';
  if (/\bpositional arguments\b/i.test(text)) return 'arguments';
  return 'other';
}

/** Returns what follows `usage:` in a line; null for other lines. */
export const usageIn = ({ indent, text }: Line): string | null =>
  indent > 2 ? null : (/^usage\b(.*)$/i.exec(text)?.[1] ?? null);

/** Whether a usage has a place for a command. */
export const namesCommands = (usage: string): boolean =>
  /\b(sub-?)?(command|cmd|verb)s?\b|\{[a-z][\w-]*,/i.test(usage);

/** Whether a line is a sentence, and no version, author, address or call, which often come first. */
export const isProse = (text: string): boolean =>
  /^["'`\w(].* /.test(text) &&
  !/^\S+ \(?v?\d+\.\d|^\S+ [[<]|   +|: (error|unknown|invalid|unrecognized|not an?)\b|@\S+\.\w|https?:|^(copyright|written by|try|or)\b/i.test(
    text,
  );
