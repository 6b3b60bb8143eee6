/** A command of a tool. */
export interface NamedEntry {
  name: string;
  /** Empty if the help only names it. */
  description: string;
}

/** An option of a tool. */
export interface OptionEntry {
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
export function commandListIn(line: string): NamedEntry[] | null {
  const names = line.replace(/,$/, '').split(/, */);
  return names.every((name) => COMMAND.test(name)) ? names.map((name) => ({ name, description: '' })) : null;
}

/**
 * Returns the command that a line describes, as in `add, a`, `add|a` or `add <item> [pieces]`; null if it describes none.
 *
 * @param isCertain whether the line is below a heading such as `Commands:`; else it must have a description
 */
export function commandIn(line: string, isCertain: boolean): NamedEntry | null {
  const { term, description } = partsOf(line);
  const [first = '', ...more] = term.split(/[\s,|]+/);
  const name = first.replace(/[:*]+$/, '');
  if (!COMMAND.test(name)) return null;
  const isCall = more.every((word) => /^[<[({]|^[A-Z\d_.-]+$|^\.\.\.$|[>\])}]$|^\w{1,3}$/.test(word));
  const isEntry = isCertain ? isCall || description !== '' : isCall && description !== '';
  return isEntry ? { name, description } : null;
}

/** Returns the commands in a line below argparse's `positional arguments:`; null if there are none. */
export function choicesIn(line: string): NamedEntry[] | null {
  const { term, description } = partsOf(line);
  const choices = /^\{([\w,.:-]+)\}/.exec(term)?.[1];
  if (choices !== undefined) return commandListIn(choices);
  return description !== '' && COMMAND.test(term) ? [{ name: term, description }] : null;
}

/** Returns the option that a line describes; null if it describes none. */
export function optionIn(line: string): OptionEntry | null {
  const { term, description } = partsOf(line);
  const words = term.split(/[\s,|]+/).filter((word) => word !== '');
  const names = words.flatMap((word) => OPTION.exec(word)?.[0] ?? []);
  // more words are a sentence, as in `-v prints all of it`
  if (names.length === 0 || words.length - names.length > 3) return null;
  const takesValue = words.some((word) => /[=<[]/.test(word)) || words.at(-1)?.startsWith('-') !== true;
  return { names: [...new Set(names)], takesValue, description };
}
