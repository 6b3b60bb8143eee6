import type { CommandResult } from '../../lib/command-result.js';
import { beginningOf } from '../../lib/format/truncate.js';
import type { CommandRecord } from '../../results/records/run-record.js';
import type { RunContext } from './run-context.js';

/** Enough to see why a command failed. */
const RECORD_LIMIT = 16 * 1024;

/**
 * Shortens output to RECORD_LIMIT characters. It is first cut to twice that with an ellipsis, next to which redaction
 * finds cut secrets, and only cut to size after redaction.
 */
const shortRecord = ({ redact }: RunContext, output: string): string =>
  redact(beginningOf(output, 2 * RECORD_LIMIT)).slice(0, RECORD_LIMIT);

/** Returns what is recorded of a command that was run, redacted. */
export const toRecord = (context: RunContext, command: string, result: CommandResult): CommandRecord => ({
  command: context.redact(command),
  exit_code: result.exitCode,
  timed_out: result.timedOut,
  duration_ms: result.durationMs,
  stdout: shortRecord(context, result.stdout),
  stderr: shortRecord(context, result.stderr),
});
