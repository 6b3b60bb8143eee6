import { execa } from 'execa';
import { endOf } from '../../lib/format/truncate.js';
import { shellWord } from '../../lib/commands/shell-word.js';
import type { Container } from '../environment.js';

const REASON_LENGTH = 300;
const NOT_THERE = /no such (container|object)|no container with name/i;
const NOT_RUNNING = /is not running|container state improper|can only (create exec sessions|exec)/i;

/** Output of `docker` or `podman`. */
export interface Answer {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/** The last line of a failed command's stderr, shortened. */
export const reasonIn = (stderr: string): string =>
  endOf(stderr.trim().split('\n').at(-1) ?? '', REASON_LENGTH);

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

/** @throws Error with the reason that the command printed, if it failed */
export function assertAnswered(command: string, what: string, { exitCode, stderr }: Answer): void {
  if (exitCode !== 0) throw new Error(`${command} ${what} failed: ${reasonIn(stderr)}`);
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
  assertAnswered(command, `start ${name}`, await askCli(command, ['start', name]));
  return askCli(command, scriptArgs(container, user), { input: script });
}

/** @throws Error if the command line or its daemon does not work */
export async function stateOf({ command, name }: Container): Promise<'missing' | 'running' | 'stopped'> {
  const answer = await askCli(command, ['container', 'inspect', '--format', '{{.State.Running}}', name]);
  if (answer.exitCode !== 0 && NOT_THERE.test(answer.stderr)) return 'missing';
  assertAnswered(command, `inspect ${name}`, answer);
  return answer.stdout.toString().trim() === 'true' ? 'running' : 'stopped';
}

/** Lines of a script that export variables. A script comes on standard input, where nobody can read them. */
export const exports = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');

/** Quotes a word of a script, whatever it contains. NUL, which no shell can hold, is left out. */
export const quoted = (word: string): string => (word === '' ? "''" : shellWord(word.replaceAll('\0', '')));
