import { execa } from 'execa';
import type { CommandResult } from '../../lib/command-result.js';

type Said = Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr'>;

const MAX_LENGTH = 200;

/** The first line of what a program says of its version, on stdout or else on stderr; null when it says nothing. */
export async function detectVersion(
  [command, ...args]: readonly string[],
  { env, cwd, timeoutMs }: { env: NodeJS.ProcessEnv; cwd: string; timeoutMs: number },
): Promise<string | null> {
  if (command === undefined) return null;
  const { exitCode, stdout, stderr } = await execa(command, args, {
    env,
    extendEnv: false,
    cwd,
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
  });
  return firstLine({ exitCode: exitCode ?? null, stdout, stderr });
}

/** What a command has said, in one line. */
export function firstLine({ exitCode, stdout, stderr }: Said): string | null {
  const [line = ''] = (stdout.trim() || stderr.trim()).split('\n');
  return exitCode === 0 && line !== '' ? line.slice(0, MAX_LENGTH) : null;
}
