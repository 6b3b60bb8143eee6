import {
  choicesIn,
  commandIn,
  commandListIn,
  oneLine,
  optionIn,
  type NamedEntry,
  type OptionEntry,
} from './help-entries.js';
import {
  isProse,
  linesOf,
  namesCommands,
  sectionAt,
  usageIn,
  type Line,
  type Section,
} from './help-lines.js';

/** What the help text of a tool says about it. */
export interface ToolHelp {
  /** The first sentence that is not about how to call it; null if there is none. */
  description: string | null;
  commands: NamedEntry[];
  options: OptionEntry[];
}

/** What is known when a line is read. */
interface Reading {
  section: Section;
  /** Whether the usage has a place for a command. */
  namesCommands: boolean;
  /** How far the entries of this section are indented; lines that are further right continue an entry. */
  indent: number | null;
  /** The entry that the next line may describe. */
  entry: { description: string } | null;
  /** Whether the line before ended with a comma, in a list of commands. */
  inList: boolean;
  prose: string[];
  commands: Map<string, NamedEntry>;
  options: OptionEntry[];
}

/**
 * Reads the help text of a tool, as GNU programs, Commander, clap, Cobra, argparse, Click and Go's flag package print it. What it
 * does not understand it leaves out.
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
  else if (reading.section === 'start' && line.indent <= 2 && isProse(line.text))
    reading.prose.push(line.text);
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
  // argparse lists all names, and then describes each further right
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
  const list =
    section === 'commands' && (reading.inList || /^\S+, .*,$/.test(text)) ? commandListIn(text) : null;
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
