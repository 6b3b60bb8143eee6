/** What became of one shell command. Output is capped: `stdoutBytes` counts all that was written, kept or not. */
export interface CommandResult {
  /** null when the command was ended by a signal. */
  exitCode: number | null;
  timedOut: boolean;
  /** UTF-8, at most the cap (1 MiB unless said otherwise). */
  stdout: string;
  stderr: string;
  stdoutBytes: number;
  stderrBytes: number;
  durationMs: number;
}

/** "exit 3", "timed out after 30 s", "ended by a signal": how a command ended, for messages; null where its limit is not known. */
export function describeEnd(
  result: Pick<CommandResult, 'exitCode' | 'timedOut'>,
  timeoutSecs: number | null,
): string {
  if (result.timedOut) return timeoutSecs === null ? 'timed out' : `timed out after ${timeoutSecs} s`;
  return result.exitCode === null ? 'ended by a signal' : `exit ${result.exitCode}`;
}
