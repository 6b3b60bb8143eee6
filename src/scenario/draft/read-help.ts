import { stripVTControlCharacters } from 'node:util';

const MAX_LINES = 3000;
const LONGEST_LINE = 500;

/** A line of a help text, without the spaces around it. */
interface Line {
  indent: number;
  text: string;
  /** The text after the first gap of two or more spaces; null if there is no gap. */
  rest: string | null;
}

/** The parts of a help text; `start` is what comes before the first heading. */
type Section = 'start' | 'usage' | 'commands' | 'arguments' | 'options' | 'other';

/** Splits a help text into lines, without colours and the overstrikes of manual pages. */
const linesOf = (text: string): Line[] =>
  stripVTControlCharacters(text)
    .replace(/[^\n]\u0008/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '        ')
    .replace(/[^\P{C}\n]/gu, '')
    .split('\n')
    .slice(0, MAX_LINES)
    .map((line) => {
      const cut = line.slice(0, LONGEST_LINE).trimEnd();
      const text = cut.trimStart();
      const gap = / {2,}(?=\S)/.exec(text);
      const rest = gap === null ? null : text.slice(gap.index + gap[0].length);
      return { indent: cut.length - text.length, text, rest };
    });

/**
 * Returns the section that begins with this line, which is a heading such as `Commands:` or `OPTIONS`; null for other
 * lines.
 */
function sectionAt({ indent, text, rest }: Line): Section | null {
  if (rest !== null || indent > 2 || text.length > 80 || text.startsWith('-')) return null;
  if (!text.endsWith(':') && (indent > 0 || !/^[A-Z][A-Z ]{3,}$/.test(text))) return null;
  if (/\b(sub-?)?(commands?|verbs?)\b/i.test(text)) return 'commands';
  if (/\b(options?|flags?|switches)\b/i.test(text)) return 'options';
  if (/\bpositional arguments\b/i.test(text)) return 'arguments';
  return 'other';
}

/** Returns what follows `usage:` in a line; null for other lines. */
const usageIn = ({ indent, text }: Line): string | null =>
  indent > 2 ? null : (/^usage\b(.*)$/i.exec(text)?.[1] ?? null);

/** True if a usage has a place for a command. */
const namesCommands = (usage: string): boolean => /\b(sub-?)?(command|cmd|verb)s?\b|\{[a-z][\w-]*,/i.test(usage);

/** True if a line is a sentence, and no version, author, address or call, which often come first. */
const isProse = (text: string): boolean =>
  /^["'`\w(].* /.test(text) &&
  !/^\S+ \(?v?\d+\.\d|^\S+ [[<]|   +|: (error|unknown|invalid|unrecognized|not an?)\b|@\S+\.\w|https?:|^(copyright|written by|try|or)\b/i.test(
    text,
  );

/** A command of a tool. */
interface NamedEntry {
  name: string;
  /** Empty if the help only names it. */
  description: string;
}

/** An option of a tool. */
interface OptionEntry {
  /** For example `-v` and `--verbose`. */
  names: string[];
  takesValue: boolean;
  description: string;
}

const COMMAND = /^[a-z\d][\w:.-]{0,40}$/;
const OPTION = /^--?[a-z\d?](?:[\w.-]{0,60}\w)?/i;
const LONGEST_DESCRIPTION = 200;

/** Formats a text as one line that is not too long. */
export const oneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_DESCRIPTION).trimEnd();

const partsOf = (line: string): { term: string; description: string } => {
  const [term = '', ...described] = line.split(/ {2,}/);
  return { term, description: oneLine(described.join(' ')) };
};

/** Returns the commands in a line that only lists names; null for other lines. */
function commandListIn(line: string): NamedEntry[] | null {
  const names = line.replace(/,$/, '').split(/, */);
  return names.every((name) => COMMAND.test(name)) ? names.map((name) => ({ name, description: '' })) : null;
}

/**
 * Returns the command that a line describes, as in `add, a`, `add|a` or `add <item> [pieces]`; null if it describes
 * none.
 *
 * @param isCertain whether the line is below a heading such as `Commands:`; else it must have a description
 */
function commandIn(line: string, isCertain: boolean): NamedEntry | null {
  const { term, description } = partsOf(line);
  const [first = '', ...more] = term.split(/[\s,|]+/);
  const name = first.replace(/[:*]+$/, '');
  if (!COMMAND.test(name)) return null;
  const isCall = more.every((word) => /^[<[({]|^[A-Z\d_.-]+$|^\.\.\.$|[>\])}]$|^\w{1,3}$/.test(word));
  const isEntry = isCertain ? isCall || description !== '' : isCall && description !== '';
  return isEntry ? { name, description } : null;
}

/** Returns the commands in a line below argparse's `positional arguments:`; null if there are none. */
function choicesIn(line: string): NamedEntry[] | null {
  const { term, description } = partsOf(line);
  const choices = /^\{([\w,.:-]+)\}/.exec(term)?.[1];
  if (choices !== undefined) return commandListIn(choices);
  return description !== '' && COMMAND.test(term) ? [{ name: term, description }] : null;
}

/** Returns the option that a line describes; null if it describes none. */
function optionIn(line: string): OptionEntry | null {
  const { term, description } = partsOf(line);
  const words = term.split(/[\s,|]+/).filter((word) => word !== '');
  const names = words.flatMap((word) => OPTION.exec(word)?.[0] ?? []);
  // More words are a sentence, as in `-v prints all of it`.
  if (names.length === 0 || words.length - names.length > 3) return null;
  const takesValue = words.some((word) => /[=<[]/.test(word)) || words.at(-1)?.startsWith('-') !== true;
  return { names: [...new Set(names)], takesValue, description };
}

/** A tool as its help text describes it. */
export interface ToolHelp {
  /** The first sentence that is not about how to call it; null if there is none. */
  description: string | null;
  commands: NamedEntry[];
  options: OptionEntry[];
}

/** The state when a line is read. */
interface Reading {
  section: Section;
  /** True if the usage has a place for a command. */
  namesCommands: boolean;
  /** The indentation of the entries of this section; lines that are further right continue an entry. */
  indent: number | null;
  /** The entry that the next line may describe. */
  entry: { description: string } | null;
  /** True if the line before ended with a comma, in a list of commands. */
  inList: boolean;
  prose: string[];
  commands: Map<string, NamedEntry>;
  options: OptionEntry[];
}

/**
 * Reads the help text of a tool, as GNU programs, Commander, clap, Cobra, argparse, Click and Go's flag package print
 * it. What it does not understand it leaves out.
 */
export function readHelp(text: string): ToolHelp {
  const reading: Reading = {
    section: 'start',
    namesCommands: false,
    indent: null,
    entry: null,
    inList: false,
    prose: [],
    commands: new Map(),
    options: [],
  };
  for (const line of linesOf(text)) readLine(reading, line);
  const [paragraph = []] = paragraphsOf(reading.prose);
  return {
    description: firstSentence(paragraph.join(' ')),
    commands: [...reading.commands.values()],
    options: reading.options,
  };
}

function readLine(reading: Reading, line: Line): void {
  if (line.text === '') {
    endParagraph(reading);
    return;
  }
  const usage = usageIn(line);
  const section = usage === null ? sectionAt(line) : 'usage';
  if (section !== null) {
    beginSection(reading, section, usage ?? '');
    return;
  }
  if (reading.section === 'usage') {
    reading.namesCommands ||= namesCommands(line.text);
    if (line.indent > 0 || !isProse(line.text)) return;
    reading.section = 'start';
  }
  if (readOption(reading, line) || readCommands(reading, line)) return;
  if (reading.entry?.description === '') reading.entry.description = oneLine(line.text);
  else if (reading.section === 'start' && line.indent <= 2 && isProse(line.text)) reading.prose.push(line.text);
}

function endParagraph(reading: Reading): void {
  if (reading.section === 'usage') reading.section = 'start';
  reading.entry = null;
  reading.prose.push('');
}

function beginSection(reading: Reading, section: Section, usage: string): void {
  // Go's flag package prints `Usage of stock:`, and its options right below
  Object.assign(reading, {
    section: /^ of\b/.test(usage) ? 'options' : section,
    indent: null,
    entry: null,
    inList: false,
  });
  reading.namesCommands ||= namesCommands(usage);
}

function readOption(reading: Reading, { text }: Line): boolean {
  const option = text.startsWith('-') ? optionIn(text) : null;
  if (option === null) return false;
  reading.options.push(option);
  reading.entry = option;
  return true;
}

function readCommands(reading: Reading, { indent, text }: Line): boolean {
  const found = indent === 0 ? null : commandsAt(reading, text);
  if (found === null || (reading.indent !== null && indent > reading.indent)) return false;
  // `argparse` lists all names, and then describes each further right.
  if (reading.section !== 'arguments') reading.indent ??= indent;
  for (const command of found) {
    const known = reading.commands.get(command.name);
    if (known === undefined) reading.commands.set(command.name, command);
    else if (known.description === '') known.description = command.description;
  }
  const [only] = found;
  reading.entry = found.length === 1 && only !== undefined ? (reading.commands.get(only.name) ?? null) : null;
  return true;
}

function commandsAt(reading: Reading, text: string): NamedEntry[] | null {
  const { section } = reading;
  if (section === 'arguments') return choicesIn(text);
  if (section === 'options' || (section !== 'commands' && !reading.namesCommands)) return null;
  const list = section === 'commands' && (reading.inList || /^\S+, .*,$/.test(text)) ? commandListIn(text) : null;
  reading.inList = list !== null && text.endsWith(',');
  if (list !== null) return list;
  const command = commandIn(text, section === 'commands');
  return command === null ? null : [command];
}

function paragraphsOf(prose: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const line of prose)
    if (line !== '') found.at(-1)?.push(line);
    else if (found.at(-1)?.length !== 0) found.push([]);
  return found;
}

function firstSentence(text: string): string | null {
  const [sentence = ''] = oneLine(text).split(/(?<=[.!?]) (?=[A-Z])/);
  return sentence === '' ? null : sentence;
}
