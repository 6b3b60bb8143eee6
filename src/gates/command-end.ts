import { type CommandResult, describeEnd, endOf } from '#lib';

const MAX_LENGTH = 300;

const lastLines = (output: string): string =>
  endOf(output.trim(), MAX_LENGTH)
    .split(/\s*[\r\n]+\s*/)
    .join(' | ');

/** Describes how a command failed, with the end of its output: "exit 3: no such note". */
function describeFailure(result: CommandResult, timeoutSecs: number, expected: string): string {
  const notFound = !result.timedOut && result.exitCode === 127 ? ' (command not found)' : '';
  const end = `${describeEnd(result, timeoutSecs)}${notFound}${expected}`;
  const stderr = lastLines(result.stderr);
  if (stderr !== '') return `${end}: ${stderr}`;
  // Many programs report their errors on stdout.
  const stdout = lastLines(result.stdout);
  return stdout === '' ? end : `${end}, stdout: ${stdout}`;
}

/** Returns why a command did not end as expected. Null if it exited with the expected code in time. */
export function commandFailure(result: CommandResult, timeoutSecs: number, expectedCode = 0): string | null {
  if (!result.timedOut && result.exitCode === expectedCode) return null;
  return describeFailure(result, timeoutSecs, expectedCode === 0 ? '' : `, expected exit ${expectedCode}`);
}

/** "only the first 1048576 of 2000000 bytes of stdout were kept", or null if stdout was not cut. */
export function stdoutCut(result: CommandResult): string | null {
  const kept = Buffer.byteLength(result.stdout);
  return kept < result.stdoutBytes ? `only the first ${kept} of ${result.stdoutBytes} bytes of stdout were kept` : null;
}
