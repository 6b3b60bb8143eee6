import type { Command } from '@commander-js/extra-typings';

/** The program that verbs are added to. */
export type Program = Command;

/** Functions that verbs get from the program that they are part of. */
export interface CommandLine {
  /** Sets the exit code of the program. */
  exitWith: (code: Promise<number> | number) => Promise<void>;
}
