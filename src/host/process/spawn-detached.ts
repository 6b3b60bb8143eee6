import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isRealFolder } from '../fs/tree.js';
import { findExecutable } from './find-deno.js';

export interface DetachedCommand {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** A program whose output can be read. */
export interface PipedProcess {
  /** Also the id of its process group. */
  pid: number;
  stdout: NodeJS.ReadableStream & { destroy: () => unknown };
  stderr: NodeJS.ReadableStream & { destroy: () => unknown };
  /** The exit code; null if a signal ended it. Rejects if that is not known. */
  exited: Promise<number | null>;
}

/** Longer records are not passed to the spawner: `spawn` reports a command that is too long for the system. */
const MAX_BYTES = 64 * 1024;

/**
 * Starts a program without input and output, in its own session, so that it outlives this process. Forking a worker
 * takes 10 ms, because its page tables are copied. If there is perl, a small process that ends with this one does it in
 * 1 ms (supervisor/spawn.pl).
 */
export async function spawnDetached(command: DetachedCommand): Promise<void> {
  const record = recordOf('quiet', command);
  if (record !== null && findExecutable('perl') !== null) {
    const path = process.env['PATH'] ?? '';
    if ((await (spawners.get(path) ?? startSpawner(path)).ask(record)) === 'quiet') return;
  }
  const [program = '', ...args] = command.argv;
  const { cwd, env } = command;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

/**
 * Starts a program without input, in its own session. Returns null if that takes a fork of this process: there is no
 * small process yet, or the system has no other way to read what comes from its child.
 */
export async function spawnPiped(command: DetachedCommand): Promise<PipedProcess | null> {
  const spawner = spawners.get(process.env['PATH'] ?? '');
  const record = recordOf('piped', command);
  if (process.platform !== 'linux' || spawner === undefined || record === null) return null;
  // The reason why something cannot be started is told by who starts it directly.
  if (findExecutable(command.argv[0] ?? '', command.env['PATH']) === null || !isRealFolder(command.cwd)) return null;
  const [, pid, ...pipes] = (await spawner.ask(record))?.split(' ').map(Number) ?? [];
  if (pid === undefined) return null;
  const exited = spawner.endOf(pid);
  exited.catch(() => undefined); // for whoever waits for it
  const [stdout, stderr] = pipes.map((fd) => {
    const file = openSync(`/proc/${spawner.pid}/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd: file, readable: true, writable: false });
  });
  if (stdout === undefined || stderr === undefined) throw new TypeError('two outputs were asked for');
  spawner.tell(`go ${pid}\n`);
  return { pid, stdout, stderr, exited };
}

/** Returns null for what is too long, or contains NUL. */
function recordOf(kind: 'quiet' | 'piped', { argv, cwd, env }: DetachedCommand): Buffer | null {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [cwd, String(variables.length), ...variables, ...argv];
  const record = Buffer.from(words.join('\0'));
  if (record.length > MAX_BYTES || words.some((word) => word.includes('\0'))) return null;
  return Buffer.concat([Buffer.from(`${kind} ${record.length}\n`), record]);
}

/** The small process (supervisor/spawn.pl). */
interface Spawner {
  pid: number | undefined;
  tell: (line: string) => void;
  /** Passes a record on. Resolves to the answer; to null if the process ends before it has started the program. */
  ask: (record: Buffer) => Promise<string | null>;
  /** Resolves to the exit code of a program with output, to null if a signal ended it. */
  endOf: (pid: number) => Promise<number | null>;
}
/** The small process, by the PATH with which it was started. */
const spawners = new Map<string, Spawner>();

function startSpawner(path: string): Spawner {
  const child = spawn('perl', [fileURLToPath(new URL('./supervisor/spawn.pl', import.meta.url))], {
    cwd: '/',
    env: { PATH: path },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin: input, stdout: output } = child;
  if (!(input instanceof Socket && output instanceof Socket)) throw new TypeError('pipes were asked for');
  const asked: ((answer: string | null) => void)[] = [];
  const running = new Map<number, (status: number | null) => void>();
  /** The statuses of processes for which nobody waits yet. */
  const over = new Map<number, number>();
  // The spawner keeps this process alive only while something is expected of it.
  const rest = (): void => {
    if (asked.length === 0 && running.size === 0) output.unref();
  };
  const own: Spawner = {
    pid: child.pid,
    tell: (line) => input.write(line),
    ask: (record) =>
      new Promise((resolve) => {
        asked.push(resolve);
        output.ref();
        input.write(record);
      }),
    endOf: (pid) =>
      new Promise((resolve, reject) => {
        const settle = (status: number | null): void => {
          if (status === null) reject(new Error('the process that waits for the ends of commands was killed'));
          else resolve((status & 0x7f) === 0 ? status >> 8 : null);
        };
        const status = over.get(pid);
        over.delete(pid);
        if (status !== undefined) {
          settle(status);
          return;
        }
        output.ref();
        running.set(pid, settle);
      }),
  };
  const ended = (): void => {
    if (spawners.get(path) === own) spawners.delete(path);
    for (const tell of [...asked.splice(0), ...running.values()]) tell(null);
    running.clear();
    rest();
  };
  child.once('error', ended).once('close', ended);
  input.on('error', ended);
  createInterface(output).on('line', (line) => {
    const [kind, pid, status] = line.split(' ');
    if (kind === 'end') {
      const settle = running.get(Number(pid));
      if (settle === undefined) over.set(Number(pid), Number(status));
      else settle(Number(status));
      running.delete(Number(pid));
    } else asked.shift()?.(line);
    rest();
  });
  child.unref();
  input.unref();
  output.unref();
  spawners.set(path, own);
  return own;
}
