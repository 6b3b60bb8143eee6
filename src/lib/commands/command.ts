/** Formats a word for `sh`, quoted if necessary. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command line for `sh -c`, or a program with its arguments, which is run without a shell. */
export type Command = string | readonly string[];

/** The program to run, and its arguments. */
export const argvOf = (command: Command): readonly string[] =>
  typeof command === 'string' ? ['sh', '-c', command] : command;

/** Formats a command for people, as they would type it in a shell. */
export const commandText = (command: Command): string =>
  typeof command === 'string' ? command : command.map(shellWord).join(' ');

/** The result of a command. Output is capped; `stdoutBytes` counts everything that was written. */
export interface CommandResult {
  /** null if a signal ended the command. */
  exitCode: number | null;
  timedOut: boolean;
  /** UTF-8, up to the cap (1 MiB, unless another one is given). */
  stdout: string;
  stderr: string;
  stdoutBytes: number;
  stderrBytes: number;
  durationMs: number;
}

/**
 * Describes for messages how a command ended: "exit 3", "timed out after 30 s", "ended by a signal". `timeoutSecs` is
 * null if the limit is unknown.
 */
export function describeEnd(result: Pick<CommandResult, 'exitCode' | 'timedOut'>, timeoutSecs: number | null): string {
  if (result.timedOut) return timeoutSecs === null ? 'timed out' : `timed out after ${timeoutSecs} s`;
  return result.exitCode === null ? 'ended by a signal' : `exit ${result.exitCode}`;
}

/** Linux allows 128 KiB for one argument or variable, which must also hold what is around the command or value. */
const LONGEST_ARGUMENT = 130_000;

/** Returns why a text is too long for one argument or variable of a program; null if it is not. */
export function tooLongArgument(text: string, remedy: string): string | null {
  const { length } = new TextEncoder().encode(text);
  return length <= LONGEST_ARGUMENT
    ? null
    : `${length} bytes, more than the system's limit of ${LONGEST_ARGUMENT}; ${remedy}`;
}
