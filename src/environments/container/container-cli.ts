import { execa } from 'execa';
import type { Container } from '../environment.js';
import { assertAnswered, type Answer } from '../machine/machine.js';

const NOT_THERE = /no such (container|object)|no container with name/i;
const NOT_RUNNING = /is not running|container state improper|can only (create exec sessions|exec)/i;

/** Runs `docker` or `podman`. Never pass secrets as arguments: every user of the host can read them. */
export async function askCli(
  command: Container['command'],
  args: readonly string[],
  { input, timeoutMs }: { input?: string; timeoutMs?: number } = {},
): Promise<Answer> {
  const { exitCode, stdout, stderr, timedOut, cause } = await execa(command, args, {
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
  const said = Buffer.from(stderr).toString();
  const why = timedOut ? `no answer within ${(timeoutMs ?? 0) / 1000} s` : String(cause);
  return {
    exitCode: exitCode ?? -1,
    stdout: Buffer.from(stdout),
    stderr: exitCode === undefined && said === '' ? why : said,
  };
}

/** Arguments that run a script from standard input in a container. */
export const scriptArgs = ({ name }: Container, user?: string): string[] => [
  ...['exec', '-i', ...(user === undefined ? [] : ['-u', user]), name],
  ...['sh', '-c', 'eval "$(cat)"'],
];

/**
 * Runs a script in a container. Returns null if the container does not exist. If it was stopped, with the daemon or the
 * machine, starts it again first: its files are still there.
 * @throws Error if the command line or its daemon does not work
 */
export async function runScript(
  container: Container,
  script: string,
  { user }: { user?: string } = {},
): Promise<Answer | null> {
  const { command, name } = container;
  const answer = await askCli(command, scriptArgs(container, user), { input: script });
  if (answer.exitCode === 0) return answer;
  const state = await stateOf(container);
  if (state === 'missing') return null;
  if (state === 'running' && !NOT_RUNNING.test(answer.stderr)) return answer;
  assertAnswered(`${command} start ${name}`, await askCli(command, ['start', name]));
  return askCli(command, scriptArgs(container, user), { input: script });
}

/** @throws Error if the command line or its daemon does not work */
export async function stateOf({ command, name }: Container): Promise<'missing' | 'running' | 'stopped'> {
  const answer = await askCli(command, ['container', 'inspect', '--format', '{{.State.Running}}', name]);
  if (answer.exitCode !== 0 && NOT_THERE.test(answer.stderr)) return 'missing';
  assertAnswered(`${command} inspect ${name}`, answer);
  return answer.stdout.toString().trim() === 'true' ? 'running' : 'stopped';
}
