import { execa } from 'execa';

const MAX_LENGTH = 200;

/** The first line of what a program says of its version, on stdout or else on stderr; null when it says nothing. */
export async function askVersion(
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
  const [line = ''] = (stdout.trim() || stderr.trim()).split('\n');
  return exitCode === 0 && line !== '' ? line.slice(0, MAX_LENGTH) : null;
}
