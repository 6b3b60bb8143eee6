import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { argvOf, type Command, type CommandResult } from '#lib';
import { type PipedProcess, spawnPiped } from './spawn-detached.js';

export const OUTPUT_CAP = 1024 * 1024;
/**
 * After the command has ended, its output is read until none has come for this time, but at most MAX_DRAINS times as
 * long: a grandchild may hold the pipe open for ever, and write to it.
 */
const DRAIN_MS = 100;
const MAX_DRAINS = 10;

export interface CommandRequest {
  command: Command;
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  /** Do not kill background processes of a command that ended by itself; they die with the run at the latest. */
  keepBackground?: boolean;
  /** Standard input; none by default. */
  input?: string;
  signal?: AbortSignal;
}

/** Keeps the first `cap` bytes and only counts the rest, so that endless output takes no memory. */
function collect(stream: NodeJS.ReadableStream, cap: number): { text: () => string; bytes: () => number } {
  const chunks: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (kept >= cap) return;
    const part = chunk.subarray(0, cap - kept);
    kept += part.length;
    chunks.push(part);
  });
  const text = (): string => {
    const decoder = new StringDecoder('utf8');
    // A character that the cap splits is dropped.
    return decoder.write(Buffer.concat(chunks)) + (bytes > kept ? '' : decoder.end());
  };
  return { text, bytes: () => bytes };
}

/**
 * Waits until both outputs have ended, or nothing more can be expected of them. `received`: how many bytes have been
 * read.
 */
async function drain(ended: Promise<unknown>, received: () => number): Promise<void> {
  const state = { ended: false };
  const end = ended.then(() => void (state.ended = true));
  for (let nth = 0; nth < MAX_DRAINS; nth += 1) {
    const before = received();
    const late = new AbortController();
    await Promise.race([end, sleep(DRAIN_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    // On a busy machine, the time may be over before Node has read what was there when the command ended.
    await nextTurn();
    if (state.ended || received() === before) return;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is already gone.
  }
}

/** Kills a command that has not ended. Right after its start, it has no group of its own yet. */
function killNow(pid: number): void {
  for (const target of [-pid, pid])
    try {
      process.kill(target, 'SIGKILL');
      return;
    } catch {
      // There is no such group, or the command has just ended.
    }
}

/** The result of a program that does not exist, as a shell reports it. */
const notFound = (program: string): CommandResult => {
  const stderr = `${program}: not found\n`;
  return {
    exitCode: 127,
    timedOut: false,
    stdout: '',
    stderr,
    stdoutBytes: 0,
    stderrBytes: Buffer.byteLength(stderr),
    durationMs: 0,
  };
};

/**
 * Runs a command in its own process group, which is killed at the deadline, on abort, and (unless
 * `keepBackground`) when the command has ended. Returns how it ended. Throws if the shell cannot be started, and the
 * signal's reason on abort.
 */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  request.signal?.throwIfAborted();
  const startedAt = performance.now();
  const { command, input, cwd, env } = request;
  const argv = argvOf(command);
  const child = (input === undefined ? await spawnPiped({ argv, cwd, env }) : null) ?? (await startDirectly(request));
  if (child === null) return notFound(argv[0] ?? '');
  const { pid } = child;
  const stdout = collect(child.stdout, OUTPUT_CAP);
  const stderr = collect(child.stderr, OUTPUT_CAP);
  const bothEnded = Promise.all([child.stdout, child.stderr].map((stream) => once(stream, 'close')));

  const state = { timedOut: false };
  const deadline = setTimeout(() => {
    state.timedOut = true;
    killNow(pid);
  }, request.timeoutMs);
  const onAbort = (): void => killNow(pid);
  request.signal?.addEventListener('abort', onAbort);
  if (request.signal?.aborted === true) onAbort();

  const exitCode = await child.exited.catch((error: unknown) => error as Error);
  clearTimeout(deadline);
  const { timedOut } = state;
  request.signal?.removeEventListener('abort', onAbort);
  if (request.keepBackground !== true || timedOut || exitCode instanceof Error) killGroup(pid);
  await drain(bothEnded, () => stdout.bytes() + stderr.bytes());
  child.stdout.destroy();
  child.stderr.destroy();
  await bothEnded;
  if (exitCode instanceof Error) throw exitCode;
  request.signal?.throwIfAborted();
  return {
    exitCode: timedOut ? null : exitCode,
    timedOut,
    stdout: stdout.text(),
    stderr: stderr.text(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** Forks this process. Returns null if there is no such program. */
async function startDirectly({ command, cwd, env, input }: CommandRequest): Promise<PipedProcess | null> {
  const [file = 'sh', ...args] = argvOf(command);
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    buffer: false,
    reject: false,
    encoding: 'buffer',
  });
  const { pid, stdout, stderr } = child;
  if (pid !== undefined) return { pid, stdout, stderr, exited: new Promise((resolve) => child.once('exit', resolve)) };
  const failure = await child;
  if (typeof command !== 'string' && failure.code === 'ENOENT') return null;
  throw new Error(
    `cannot start ${file} in ${cwd}: ${failure.cause instanceof Error ? failure.cause.message : 'unknown'}`,
  );
}

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
