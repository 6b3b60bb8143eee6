import type { EventBody } from '../records/events.js';

const EXIT_STATUS =
  /\bexit(?:ed)?(?:\s{1,9}with)?(?:\s{1,9}exit)?\s{1,9}(?:code|status)(?:\s{0,9}[:=])?\s{0,9}(-?\d+)/i;
// "Failed: 0" and "error: none" appear in the totals of a success.
const FAILURE = /^\s*(?:error|failed|fatal|panic|panicked)\b(?!\s*[:=]\s*(?:0|none)\s*$)/i;

/** Returns the exit status that a line of output states ("exit code 2", "exited with status: 0"), or null. */
export function statedExitCode(line: string): number | null {
  const digits = EXIT_STATUS.exec(line)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** True if a line of output reports a failure: it begins with error, failed, fatal or panic. */
export function isFailureLine(line: string): boolean {
  return FAILURE.test(line);
}

/** True if a line states how a command ended. Such a line is not a command, even if a loose pattern matches it. */
export function isStatusLine(line: string): boolean {
  return isFailureLine(line) || statedExitCode(line) !== null || /^\s*exit(?:ed)?\b/i.test(line);
}

/** True if the call of a tool failed. Without an exit code, the agent's own word counts. */
export const isFailedResult = ({
  exit_code,
  is_error,
}: Pick<Extract<EventBody, { type: 'tool_result' }>, 'exit_code' | 'is_error'>): boolean =>
  exit_code === null ? is_error : exit_code !== 0;
