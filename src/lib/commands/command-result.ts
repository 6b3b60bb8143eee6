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
export function describeEnd(
  result: Pick<CommandResult, 'exitCode' | 'timedOut'>,
  timeoutSecs: number | null,
): string {
  if (result.timedOut) return timeoutSecs === null ? 'timed out' : `timed out after ${timeoutSecs} s`;
  return result.exitCode === null ? 'ended by a signal' : `exit ${result.exitCode}`;
}
