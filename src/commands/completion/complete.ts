import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { readLine, verbsOf, type Wanted } from './wanted.js';

/** Values that only the project knows, by the name of an option or an argument. */
export type Values = (name: string, results: string | undefined) => string[];

/** Line by line: `value`, a tab, a description; or `:files`, `:folders`, which the shell completes itself. */
export function complete(program: CommandUnknownOpts, words: readonly string[], values: Values): string[] {
  const { wanted, given } = readLine(program, words);
  return candidatesOf(program, wanted, (name) => values(name, given.get('--results')));
}

function candidatesOf(
  program: CommandUnknownOpts,
  wanted: Wanted,
  values: (name: string) => string[],
): string[] {
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

/** `--agents a,b`: the last of a list is completed, what is before it stays. */
function valueOf(option: Option, current: string, values: (name: string) => string[]): string[] {
  const known = option.argChoices ?? values(option.long ?? '');
  const isList = Array.isArray(option.defaultValue);
  const before = isList ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  const [, placeholder = ''] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return [...matching(current, plain(known.map((value) => before + value))), ...paths(placeholder)];
}

/** The argument at a place; a variadic one goes on for ever. */
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

/** What a shell would read as anything but plain text is not offered: names come from files, perhaps of others. */
const SAFE = /^[\w@%+=:,./-]+$/;

const matching = (current: string, candidates: readonly Candidate[]): string[] =>
  candidates
    .filter(({ value }) => value.startsWith(current) && SAFE.test(value))
    .map(({ value, text }) => `${value}\t${text.replace(/\s+/g, ' ')}`);
