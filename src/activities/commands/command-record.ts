import { beginningOf, type Command, type CommandResult, commandText } from '#lib';
import type { CommandRecord } from '#model';
import type { FilesAfter } from './files-after.js';
import type { RunSecrets } from '../run/context.js';

/** Enough to see why a command failed. */
const MAX_RECORD = 16 * 1024;

/**
 * Shortens output to MAX_RECORD characters. It is first cut to twice that with an ellipsis, next to which redaction
 * finds cut secrets, and only cut to size after redaction.
 */
const shortRecord = ({ redact }: RunSecrets, output: string): string =>
  redact(beginningOf(output, 2 * MAX_RECORD)).slice(0, MAX_RECORD);

/** Returns what is recorded of a command that was run, redacted. */
export const toRecord = (context: RunSecrets, command: Command, result: CommandResult): CommandRecord => ({
  command: context.redact(commandText(command)),
  exit_code: result.exitCode,
  timed_out: result.timedOut,
  duration_ms: result.durationMs,
  stdout: shortRecord(context, result.stdout),
  stderr: shortRecord(context, result.stderr),
});

/** Result of a step that runs a command. */
export interface CommandStepResult extends CommandRecord {
  /** Its output, for the gates of the step. Absent if the step has none. */
  output?: StepOutput;
  /** The workspace after it; null if it could not be read. Absent if the scenario does not want it recorded. */
  after?: FilesAfter | null;
}

interface StepOutput {
  /** Its stdout, redacted. */
  text: string;
  /** True if this is everything that it printed. */
  isWhole: boolean;
}

/** Much more than a record needs, because gates search it. */
const MAX_OUTPUT = 256 * 1024;

/** Returns what the gates of a step need of its command's output. */
export const outputOf = ({ redact }: RunSecrets, { stdout, stdoutBytes }: CommandResult): StepOutput => ({
  // The ellipsis at the cut helps redaction to find cut secrets.
  text: redact(beginningOf(stdout, MAX_OUTPUT)),
  isWhole: stdout.length <= MAX_OUTPUT && Buffer.byteLength(stdout) === stdoutBytes,
});
