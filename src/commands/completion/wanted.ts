import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

/** The part of the command line to complete. */
export type Wanted =
  | { kind: 'option'; command: CommandUnknownOpts; current: string }
  | { kind: 'value'; option: Option; current: string }
  | { kind: 'word'; command: CommandUnknownOpts; at: number; current: string };

/** The part to complete, and the options with values before it. */
export interface Line {
  wanted: Wanted;
  given: Map<string, string>;
}

/** The verbs of a command that its help shows: without hidden ones, but with `help`. */
export const verbsOf = (command: CommandUnknownOpts): CommandUnknownOpts[] =>
  command.createHelp().visibleCommands(command);

/** Parses a line as Commander would, except for its last word, which is incomplete. */
export function readLine(program: CommandUnknownOpts, line: readonly string[]): Line {
  const words = joinEquals(line);
  const current = words.pop() ?? '';
  const given = new Map<string, string>();
  let command = program;
  let at = 0;
  let onlyWords = false;
  let open: Option | undefined;
  for (const word of words) {
    if (open !== undefined) {
      given.set(open.long ?? '', word);
      open = undefined;
    } else if (word === '--') onlyWords = true;
    else if (!onlyWords && word.startsWith('-')) {
      const [name = '', value] = splitEquals(word);
      const option = optionOf(command, name);
      if (value !== undefined) given.set(name, value);
      else if (option?.required === true) open = option;
    } else {
      const verb = at === 0 ? verbsOf(command).find((candidate) => candidate.name() === word) : undefined;
      if (verb === undefined) at += 1;
      else command = verb;
    }
  }
  return { wanted: wantedOf(), given };

  function wantedOf(): Wanted {
    if (open !== undefined) return { kind: 'value', option: open, current };
    if (onlyWords || !current.startsWith('-')) return { kind: 'word', command, at, current };
    const [name = '', value] = splitEquals(current);
    const option = value === undefined ? undefined : optionOf(command, name);
    return option === undefined || value === undefined
      ? { kind: 'option', command, current }
      : { kind: 'value', option, current: value };
  }
}

const optionOf = (command: CommandUnknownOpts, name: string): Option | undefined =>
  command.options.find(({ long, short }) => long === name || short === name);

const splitEquals = (word: string): string[] => {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
};

/** Joins options that bash splits at `=`: `--agents=mock` arrives as three words, `--agents=` as two. */
function joinEquals(line: readonly string[]): string[] {
  const words: string[] = [];
  for (const [index, word] of line.entries()) {
    const before = words.at(-1);
    const joins = word === '=' && before?.startsWith('--') === true && !before.includes('=');
    if (joins) words[words.length - 1] = `${before}=`;
    else if (line[index - 1] === '=' && before?.endsWith('=') === true)
      words[words.length - 1] = before + word;
    else words.push(word);
  }
  return words;
}
