import { execa } from 'execa';
import type { CommandResult } from '#lib';

type VersionOutput = Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr'>;

const MAX_LENGTH = 200;

/** Returns the first line of a version command's output (stdout, else stderr); null if it fails or prints nothing. */
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

/** Returns the first line of a command's output, cut to 200 characters; null if it failed or printed nothing. */
export function firstLine({ exitCode, stdout, stderr }: VersionOutput): string | null {
  const [line = ''] = (stdout.trim() || stderr.trim()).split('\n');
  return exitCode === 0 && line !== '' ? line.slice(0, MAX_LENGTH) : null;
}
