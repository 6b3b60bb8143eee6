import { setTimeout as sleep } from 'node:timers/promises';
import { findExecutable } from '#host';
import { execa } from 'execa';
import type { Container, FoundImage } from '../machine/settings.js';
import { type ScriptOutput, assertAnswered, reasonIn } from '../machine/machine.js';

const NOT_THERE = /no such (container|object)|no container with name/i;
const NOT_RUNNING = /is not running|container state improper|can only (create exec sessions|exec)/i;

/** Runs `docker` or `podman`. Never pass secrets as arguments: every user of the host can read them. */
export async function runCli(
  command: Container['command'],
  args: readonly string[],
  { input, timeoutMs, env = {} }: { input?: string; timeoutMs?: number; env?: Record<string, string> } = {},
): Promise<ScriptOutput> {
  const { exitCode, stdout, stderr, timedOut, cause } = await execa(command, args, {
    reject: false,
    encoding: 'buffer',
    env,
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  });
  const errorText = Buffer.from(stderr).toString();
  const why = timedOut ? `no answer within ${(timeoutMs ?? 0) / 1000} s` : String(cause);
  return {
    exitCode: exitCode ?? -1,
    stdout: Buffer.from(stdout),
    stderr: exitCode === undefined && errorText === '' ? why : errorText,
  };
}

/** Arguments that run a script from standard input in a container. */
export const scriptArgs = ({ name, user: own }: Container, user = own): string[] => [
  ...['exec', '-i', ...(user === undefined ? [] : ['-u', user]), name],
  ...['sh', '-c', 'eval "$(cat)"'],
];

const START_TRIES = 5;
const START_PAUSE_MS = 1000;

/**
 * Starts a container that was stopped. Returns false if that fails again and again although the daemon answers: the
 * death of a daemon can leave a container that nothing starts any more.
 * @throws Error if the command line or its daemon does not work
 */
async function startAgain(container: Container): Promise<boolean> {
  for (let tries = START_TRIES; tries > 0; tries -= 1) {
    if ((await runCli(container.command, ['start', container.name])).exitCode === 0) return true;
    // Another process may have started it in the meantime.
    if ((await stateOf(container)) !== 'stopped') return true;
    await sleep(START_PAUSE_MS);
  }
  return false;
}

/**
 * Runs a script in a container. Returns null if the container does not exist, or cannot be started. If it was stopped,
 * with the daemon or the machine, starts it again first: its files are still there.
 * @throws Error if the command line or its daemon does not work
 */
export async function runScript(
  container: Container,
  script: string,
  { user }: { user?: string } = {},
): Promise<ScriptOutput | null> {
  const { command } = container;
  const answer = await runCli(command, scriptArgs(container, user), { input: script });
  if (answer.exitCode === 0) return answer;
  const state = await stateOf(container);
  if (state === 'missing') return null;
  if (state === 'running' && !NOT_RUNNING.test(answer.stderr)) return answer;
  if (!(await startAgain(container))) return null;
  return runCli(command, scriptArgs(container, user), { input: script });
}

/** @throws Error if the command line or its daemon does not work */
export async function stateOf({ command, name }: Container): Promise<'missing' | 'running' | 'stopped'> {
  const answer = await runCli(command, ['container', 'inspect', '--format', '{{.State.Running}}', name]);
  if (answer.exitCode !== 0 && NOT_THERE.test(answer.stderr)) return 'missing';
  assertAnswered(`${command} inspect ${name}`, answer);
  return answer.stdout.toString().trim() === 'true' ? 'running' : 'stopped';
}

/** PATH of images that set none. */
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const LOOK_MS = 20_000;

/** Checks that the command line, its daemon and the image are available. Downloads nothing. */
export async function findImage({
  image,
  command,
}: Pick<Container, 'command' | 'image'>): Promise<{ found: FoundImage } | { found: null; why: string }> {
  if (findExecutable(command) === null)
    return { found: null, why: `${command} is not on PATH; install it (apt install ${packageOf[command]})` };
  const { exitCode, stdout, stderr } = await runCli(
    command,
    ['image', 'inspect', '--format', '{{.Id}} {{json .Config.Env}} {{json .Config.WorkingDir}}', image],
    { timeoutMs: LOOK_MS },
  );
  if (exitCode === 0) {
    const [, id = '', json = 'null', folder = '""'] = /^(\S+) (.*) (".*")$/.exec(stdout.toString().trim()) ?? [];
    const variables = (JSON.parse(json) as string[] | null) ?? [];
    const path = variables.find((variable) => variable.startsWith('PATH='))?.slice('PATH='.length);
    return { found: { id, path: path ?? USUAL_PATH, workdir: (JSON.parse(folder) as string) || '/' } };
  }
  return /no such image|image not known|failed to find image/i.test(stderr)
    ? {
        found: null,
        why: `the image ${image} is not on this machine; get it with ${command} pull ${image}, or build it`,
      }
    : { found: null, why: `${command} does not work here: ${reasonIn(stderr)}` };
}

const packageOf: Record<Container['command'], string> = { docker: 'docker.io', podman: 'podman' };

/** Returns why `docker` or `podman` cannot be used on this machine; null if it can. */
export async function cliProblem(command: Container['command']): Promise<string | null> {
  if (findExecutable(command) === null) return `${command} is not on PATH`;
  const { exitCode, stderr } = await runCli(command, ['ps', '--quiet'], { timeoutMs: LOOK_MS });
  return exitCode === 0 ? null : reasonIn(stderr);
}

/** The resources of the machine on which containers run. */
export interface MachineResources {
  cpus: number;
  memory_mb: number;
}

/** The resources of the machine on which containers run; null if they are not known. */
export async function resourcesOf(command: Container['command']): Promise<MachineResources | null> {
  const format = command === 'docker' ? '{{.NCPU}} {{.MemTotal}}' : '{{.Host.CPUs}} {{.Host.MemTotal}}';
  const { exitCode, stdout } = await runCli(command, ['info', '--format', format], { timeoutMs: LOOK_MS });
  const [cpus = 0, bytes = 0] = stdout.toString().trim().split(' ').map(Number);
  return exitCode === 0 && cpus > 0 && bytes > 0 ? { cpus, memory_mb: Math.floor(bytes / 1024 / 1024) } : null;
}
