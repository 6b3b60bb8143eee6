import { describeEnd, type CommandResult } from '../lib/command-result.js';
import { endOf } from '../lib/format/truncate.js';

const SAID_MAX = 300;

const lastWords = (output: string): string =>
  endOf(output.trim(), SAID_MAX)
    .split(/\s*[\r\n]+\s*/)
    .join(' | ');

/** How a command failed and what it said last: "exit 3: no such note". */
function describeFailure(result: CommandResult, timeoutSecs: number): string {
  const notFound = !result.timedOut && result.exitCode === 127 ? ' (command not found)' : '';
  const end = `${describeEnd(result, timeoutSecs)}${notFound}`;
  const stderr = lastWords(result.stderr);
  if (stderr !== '') return `${end}: ${stderr}`;
  // Many programs report their errors on stdout.
  const stdout = lastWords(result.stdout);
  return stdout === '' ? end : `${end}, stdout: ${stdout}`;
}

/** Why a command did not succeed; null when it exited with 0 in time. */
export function commandFailure(result: CommandResult, timeoutSecs: number): string | null {
  return !result.timedOut && result.exitCode === 0 ? null : describeFailure(result, timeoutSecs);
}

/** "the first 1048576 of 2000000 bytes of stdout were kept" where the cap cut it, else null. */
export function stdoutCut(result: CommandResult): string | null {
  const kept = Buffer.byteLength(result.stdout);
  return kept < result.stdoutBytes
    ? `only the first ${kept} of ${result.stdoutBytes} bytes of stdout were kept`
    : null;
}
