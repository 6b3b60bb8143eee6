import { shellWord } from './shell-word.js';

/** A command line for `sh -c`, or a program with its arguments, which is run without a shell. */
export type Command = string | readonly string[];

/** The program to run, and its arguments. */
export const argvOf = (command: Command): readonly string[] =>
  typeof command === 'string' ? ['sh', '-c', command] : command;

/** Formats a command for people, as they would type it in a shell. */
export const commandText = (command: Command): string =>
  typeof command === 'string' ? command : command.map(shellWord).join(' ');
