import { runCommand } from '#host';

const TRIAL_MS = 60_000;

/**
 * Tries a program out. Returns the last line of its error message if it fails, else null. A process that it leaves
 * behind is killed and not waited for: one of pasta's holds stderr open for ever where pasta may not open /dev/net/tun.
 */
export async function trialError(argv: readonly string[]): Promise<string | null> {
  const { exitCode, stderr, timedOut } = await runCommand({
    command: argv,
    cwd: process.cwd(),
    env: definedOnly(process.env),
    timeoutMs: TRIAL_MS,
  });
  if (timedOut) return `no answer within ${TRIAL_MS / 1000} s`;
  return exitCode === 0 ? null : (stderr.trim().split('\n').at(-1) ?? '');
}

const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
