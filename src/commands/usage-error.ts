import type { Problem } from '../lib/problem.js';

/** What is wrong with the input: exit 2, nothing has run. Printed without a stack. */
export class UsageError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly problems: Problem[] = [],
    /** Texts of the files that problems are in, for code frames. */
    readonly texts: ReadonlyMap<string, string> = new Map(),
  ) {
    super(message);
  }
}

/** The engine, the disk or the network failed: exit 3. */
export class InfrastructureError extends Error {}
