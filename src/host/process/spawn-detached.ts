import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { findExecutable } from './find-deno.js';

export interface DetachedCommand {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
}

/** Longer records are not passed to the spawner: `spawn` reports a command that is too long for the system. */
const MAX_BYTES = 64 * 1024;

/**
 * Starts a program without input and output, in its own session, so that it outlives this process. Forking a worker
 * takes 10 ms, because its page tables are copied. If there is perl, a small process that ends with this one does it in
 * 1 ms (supervisor/spawn.pl).
 */
export async function spawnDetached(command: DetachedCommand): Promise<void> {
  if (await passToSpawner(command)) return;
  const [program = '', ...args] = command.argv;
  const { cwd, env } = command;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

/** Passes on a record. Resolves to false if the process ends before it has started the program. */
type Spawner = (record: Buffer) => Promise<boolean>;
/** The small process, by the PATH with which it was started. */
const spawners = new Map<string, Spawner>();

/** Returns false if there is no perl, the record is too long or contains NUL, or the spawner has ended. */
async function passToSpawner({ argv, cwd, env }: DetachedCommand): Promise<boolean> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [cwd, String(variables.length), ...variables, ...argv];
  const record = Buffer.from(words.join('\0'));
  if (record.length > MAX_BYTES || words.some((word) => word.includes('\0'))) return false;
  if (findExecutable('perl') === null) return false;
  const path = process.env['PATH'] ?? '';
  const pass = spawners.get(path) ?? startSpawner(path);
  return pass(Buffer.concat([Buffer.from(`${record.length}\n`), record]));
}

function startSpawner(path: string): Spawner {
  const child = spawn('perl', [fileURLToPath(new URL('./supervisor/spawn.pl', import.meta.url))], {
    cwd: '/',
    env: { PATH: path },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin: input, stdout: output } = child;
  if (!(input instanceof Socket && output instanceof Socket)) throw new TypeError('pipes were asked for');
  const waiting: ((started: boolean) => void)[] = [];
  const onReport = (count: number, started: boolean): void => {
    for (const tell of waiting.splice(0, count)) tell(started);
    // The spawner keeps this process alive only while a request is pending.
    if (waiting.length === 0) output.unref();
  };
  const own: Spawner = (record) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      output.ref();
      input.write(record);
    });
  const ended = (): void => {
    if (spawners.get(path) === own) spawners.delete(path);
    onReport(waiting.length, false);
  };
  child.once('error', ended).once('close', ended);
  input.on('error', ended);
  output.on('data', (bytes: Buffer) => onReport(bytes.length, true));
  child.unref();
  input.unref();
  spawners.set(path, own);
  return own;
}
