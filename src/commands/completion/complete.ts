import { readFileSync } from 'node:fs';
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { packageFile } from '#host';
import { printJson } from '../shared/output.js';

/** `completion`: prints a script that calls `complete-words` on every Tab, so that it never goes out of date. */
export function completion(shell: 'bash' | 'zsh' | 'fish', { json }: { json: boolean }): number {
  const script = readFileSync(packageFile(`dist/templates/completion/${shell}`), 'utf8');
  if (json) printJson({ shell, script });
  else process.stdout.write(script);
  return 0;
}

/** `complete-words`: prints completions of the last word. Never fails, because nobody could read the error. */
export async function completeWords(program: CommandUnknownOpts, words: readonly string[]): Promise<number> {
  // Completes verbs and options without loading the project, which takes longer.
  const asked: { name: string; results: string | undefined }[] = [];
  const first = complete(program, words, (name, results) => {
    asked.push({ name, results });
    return [];
  });
  const { valuesOf } = asked.length > 0 ? await import('./values.js') : { valuesOf: null };
  const lines = valuesOf === null ? first : complete(program, words, valuesOf);
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** Returns values that depend on the project, for the name of an option or argument. */
export type Values = (name: string, results: string | undefined) => string[];

/**
 * Returns the completions of the last word, one per line: the value, a tab and a description. `:files` and `:folders`
 * mean that the shell completes these itself.
 */
export function complete(program: CommandUnknownOpts, words: readonly string[], values: Values): string[] {
  const { wanted, given } = readLine(program, words);
  return candidatesOf(program, wanted, (name) => values(name, given.get('--results')));
}

function candidatesOf(program: CommandUnknownOpts, wanted: LastWord, values: (name: string) => string[]): string[] {
  const { current } = wanted;
  switch (wanted.kind) {
    case 'option':
      return matching(
        current,
        wanted.command
          .createHelp()
          .visibleOptions(wanted.command)
          .map((option) => ({ value: option.long ?? option.short ?? '', text: option.description })),
      );
    case 'value':
      return valueOf(wanted.option, current, values);
    case 'word': {
      const { command, at } = wanted;
      if (at === 0 && command.commands.length > 0) return verbs(command, current);
      const argument = argumentAt(command, at);
      if (argument === undefined) return [];
      if (argument.name() === 'command') return verbs(program, current);
      const known = argument.argChoices ?? values(argument.name());
      return [...matching(current, plain(known)), ...paths(argument.name())];
    }
  }
}

const verbs = (command: CommandUnknownOpts, current: string): string[] =>
  matching(
    current,
    verbsOf(command).map((verb) => ({ value: verb.name(), text: verb.description() })),
  );

/** Completes an option's value. In a list (`--agents a,b`), completes the last item and keeps the others. */
function valueOf(option: Option, current: string, values: (name: string) => string[]): string[] {
  const known = option.argChoices ?? values(option.long ?? '');
  const isList = Array.isArray(option.defaultValue);
  const before = isList ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  const [, placeholder = ''] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return [...matching(current, plain(known.map((value) => before + value))), ...paths(placeholder)];
}

/** The argument at a position. A variadic argument takes all further positions. */
function argumentAt(command: CommandUnknownOpts, at: number): Argument | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[at] ?? (last?.variadic === true ? last : undefined);
}

const PATHS: Record<string, string> = {
  file: ':files',
  files: ':files',
  path: ':files',
  dir: ':folders',
  folder: ':folders',
};
const paths = (name: string): string[] => {
  const kind = Object.hasOwn(PATHS, name) ? PATHS[name] : undefined;
  return kind === undefined ? [] : [kind];
};

interface Candidate {
  value: string;
  text: string;
}

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, text: '' }));

/** Offers only values that a shell reads as plain text, because names come from files, perhaps of other people. */
const SAFE = /^[\w@%+=:,./-]+$/;

const matching = (current: string, candidates: readonly Candidate[]): string[] =>
  candidates
    .filter(({ value }) => value.startsWith(current) && SAFE.test(value))
    .map(({ value, text }) => `${value}\t${text.replace(/\s+/g, ' ')}`);

/** The part of the command line to complete. */
type LastWord =
  | { kind: 'option'; command: CommandUnknownOpts; current: string }
  | { kind: 'value'; option: Option; current: string }
  | { kind: 'word'; command: CommandUnknownOpts; at: number; current: string };

/** The part to complete, and the options with values before it. */
interface Line {
  wanted: LastWord;
  given: Map<string, string>;
}

/** The verbs of a command that its help shows: without hidden ones, but with `help`. */
const verbsOf = (command: CommandUnknownOpts): CommandUnknownOpts[] => command.createHelp().visibleCommands(command);

/** Parses a line as Commander would, except for its last word, which is incomplete. */
function readLine(program: CommandUnknownOpts, line: readonly string[]): Line {
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
  return { wanted: lastWord(), given };

  function lastWord(): LastWord {
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
    else if (line[index - 1] === '=' && before?.endsWith('=') === true) words[words.length - 1] = before + word;
    else words.push(word);
  }
  return words;
}
