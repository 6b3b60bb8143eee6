import type { Command } from '@commander-js/extra-typings';

/** The program that verbs are added to. */
export type Program = Command;

export interface WorkerOptions {
  results?: string;
  address?: string;
  namespace?: string;
  queue?: string;
  metrics?: string;
}

/** Functions that verbs get from the program that they are part of. */
export interface CommandLine {
  /** Sets the exit code of the program. */
  exitWith: (code: Promise<number> | number) => Promise<void>;
  /** Runs a worker in this process until it is stopped. */
  runWorker: (options: WorkerOptions) => Promise<void>;
}
