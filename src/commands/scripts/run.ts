import { stderr, stdout } from 'node:process';
import { execa } from 'execa';
import { DENO_ENV, NO_DENO, readScriptAnswer, usageCommand } from '#agent-scripts';
import { findDeno } from '#host';
import { InfrastructureError, UsageError } from '#lib';
import { findScript, findScriptsRoot } from './find-scripts.js';

/**
 * `scripts run`, which `/execute-script` calls. Runs the command in the script's README with these arguments from the
 * project's root. Prints its JSON and returns its exit status. If the output breaks the contract, prints it on stderr,
 * and an answer on stdout that says so.
 */
export async function runAgentScript(nameOrPath: string, args: string[]): Promise<number> {
  const root = findScriptsRoot();
  const { name, source, readme, parsedReadme } = findScript(root, nameOrPath);
  const usage = parsedReadme === null ? `${readme} is missing` : usageCommand(parsedReadme);
  if (typeof usage === 'string') throw new UsageError('no_usage', `${name} cannot be run: ${usage} (${readme})`);
  const deno = findDeno(root);
  if (deno === null) throw new InfrastructureError(NO_DENO);
  const ended = await execa(deno, ['run', ...usage.flags, source, ...args], {
    cwd: root,
    env: DENO_ENV,
    stdin: 'inherit',
    stderr: 'inherit',
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
  });
  const answer = readScriptAnswer(
    {
      exitCode: ended.exitCode ?? null,
      timedOut: false,
      stdout: ended.stdout,
      stderr: '',
      stdoutBytes: Buffer.byteLength(ended.stdout),
      stderrBytes: 0,
      durationMs: ended.durationMs,
    },
    0,
  );
  if (answer.ok) {
    stdout.write(ended.stdout);
    return ended.exitCode ?? 1;
  }
  stderr.write(ended.stdout);
  const broken = {
    success: false,
    error: `${name} broke the contract: ${answer.problem}`,
    code: 'INVALID_OUTPUT',
  };
  stdout.write(`${JSON.stringify(broken)}\n`);
  return 1;
}
