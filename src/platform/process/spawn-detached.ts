import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { findExecutable } from './find-executable.js';

export interface DetachedCommand {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
}

/** What is longer is started by ourselves, who are told where it is too long for the system. */
const MAX_BYTES = 64 * 1024;

/**
 * Starts a program in a session of its own that outlives us, without input and output. To fork a worker costs 10 ms, for
 * its page tables are copied: where there is perl, a small process that ends with us does it in one (supervisor/spawn.pl).
 */
export async function spawnDetached(command: DetachedCommand): Promise<void> {
  if (await passToSpawner(command)) return;
  const [program = '', ...args] = command.argv;
  const { cwd, env } = command;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

/** Passes a record on; false when the process ends before it has started the program. */
type Spawner = (record: Buffer) => Promise<boolean>;
let spawner: Spawner | null = null;

/** False where there is none, or the command is not for it. */
async function passToSpawner({ argv, cwd, env }: DetachedCommand): Promise<boolean> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = [cwd, String(variables.length), ...variables, ...argv];
  const record = Buffer.from(words.join('\0'));
  if (record.length > MAX_BYTES || words.some((word) => word.includes('\0'))) return false;
  if ((await findExecutable('perl')) === null) return false;
  return (spawner ??= startSpawner())(Buffer.concat([Buffer.from(`${record.length}\n`), record]));
}

function startSpawner(): Spawner {
  const child = spawn('perl', [fileURLToPath(new URL('./supervisor/spawn.pl', import.meta.url))], {
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin: input, stdout: output } = child;
  if (!(input instanceof Socket && output instanceof Socket)) throw new TypeError('pipes were asked for');
  const waiting: ((started: boolean) => void)[] = [];
  const onReport = (count: number, started: boolean): void => {
    for (const tell of waiting.splice(0, count)) tell(started);
    // It keeps us alive only while we wait for it.
    if (waiting.length === 0) output.unref();
  };
  const own: Spawner = (record) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      output.ref();
      input.write(record);
    });
  const ended = (): void => {
    if (spawner === own) spawner = null;
    onReport(waiting.length, false);
  };
  child.once('error', ended).once('close', ended);
  input.on('error', ended);
  output.on('data', (bytes: Buffer) => onReport(bytes.length, true));
  child.unref();
  input.unref();
  return own;
}
