import type { Command } from '@commander-js/extra-typings';

/** What a verb adds itself to. */
export type Program = Command;

export interface WorkerOptions {
  results?: string;
  address?: string;
  namespace?: string;
  queue?: string;
}

/** What verbs are given by the program that they are part of. */
export interface CommandLine {
  /** Sets the exit code of the program. */
  exitWith: (code: Promise<number> | number) => Promise<void>;
  /** Runs a worker in this process until it is stopped. */
  runWorker: (options: WorkerOptions) => Promise<void>;
}
