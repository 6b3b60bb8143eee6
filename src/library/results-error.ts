import { createMemory } from '#host';
import { InfrastructureError, systemFailure, UsageError } from '#lib';

/** Thrown if results cannot be read. Its message is the one that commands print. */
export class ResultsError extends Error {
  override readonly name: string = 'ResultsError';

  constructor(
    /** As in `error.code` of `--json`: `unknown_id`, `results_broken` or `infrastructure`, for example. */
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Returns an argument that must be a text. @throws UsageError for anything else, which only JavaScript can pass */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  const given = value === '' ? 'an empty text' : value === null ? 'null' : typeof value;
  throw new UsageError('usage', `${name}: expected a text, got ${given}`);
}

/** Does the work, and makes what commands report as an error a `ResultsError`. */
export async function withResultsErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await createMemory().during(work);
  } catch (cause) {
    if (cause instanceof UsageError) throw new ResultsError(cause.code, cause.message, { cause });
    const failure = cause instanceof InfrastructureError ? cause.message : systemFailure(cause);
    if (failure !== null) throw new ResultsError('infrastructure', failure, { cause });
    throw cause;
  }
}
