import { createMemory } from '#host';
import { codeFrame, formatProblem, InfrastructureError, systemFailure, UsageError } from '#lib';

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

/** A mistake in a scenario or the config file. Line and column count from 1. */
export interface ScenarioProblem {
  file: string;
  line: number;
  column: number;
  /** The place in the value: `evaluation.gates[1].type`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** Thrown if scenarios cannot be run. Its message is what `run` prints: all problems, each with its lines. */
export class ScenarioError extends Error {
  override readonly name: string = 'ScenarioError';

  constructor(
    /** As in `error.code` of `--json`: `scenario_invalid`, `not_enabled` or `infrastructure`, for example. */
    readonly code: string,
    message: string,
    /** The mistakes in files; empty if there is another reason. */
    readonly problems: readonly ScenarioProblem[] = [],
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
export const withResultsErrors = <T>(work: () => T | Promise<T>): Promise<T> =>
  withErrors(work, (cause) =>
    cause instanceof UsageError
      ? new ResultsError(cause.code, cause.message, { cause })
      : new ResultsError('infrastructure', cause.message, { cause: cause.cause }),
  );

/** Does the work, and makes what commands report as an error a `ScenarioError`. */
export const withScenarioErrors = <T>(work: () => T | Promise<T>): Promise<T> =>
  withErrors(work, (cause) =>
    cause instanceof UsageError
      ? new ScenarioError(cause.code, messageOf(cause), cause.problems, { cause })
      : new ScenarioError('infrastructure', cause.message, [], { cause: cause.cause }),
  );

function messageOf({ message, problems, texts }: UsageError): string {
  const shown = problems.map((problem) => {
    const text = texts.get(problem.file);
    const frame = text === undefined ? '' : `\n${codeFrame(text, problem.line, problem.column)}`;
    return `${formatProblem(problem)}${frame}`;
  });
  return [message, ...shown].join('\n');
}

async function withErrors<T>(
  work: () => T | Promise<T>,
  toError: (cause: UsageError | InfrastructureError) => Error,
): Promise<T> {
  try {
    return await createMemory().during(work);
  } catch (cause) {
    if (cause instanceof UsageError) throw toError(cause);
    const failure = cause instanceof InfrastructureError ? cause.message : systemFailure(cause);
    if (failure !== null) throw toError(new InfrastructureError(failure, { cause }));
    throw cause;
  }
}
