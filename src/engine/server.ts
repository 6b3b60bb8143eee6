import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { identify, isAlive, type ProcessIdentity, waitUntil, signalProcess } from '#host';
import { SEARCH_ATTRIBUTES } from '#lib';
import type { TemporalExecutable } from './find-temporal.js';
import { databaseFile, logFile } from './engine-state.js';

export const LOOPBACK = '127.0.0.1';

/** Overrides defaults that cost time when one worker does all the work (specs/explanation/performance.md). */
const TUNING = {
  // The response to a workflow task contains the next activity, which would otherwise go through a queue.
  'system.enableActivityEagerExecution': true,
  // Partitions spread the load over many servers. On a single server they only hand tasks to each other.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // Timers, and with them attempts after a failure, may be late by this much. A single server has one clock.
  'history.timerProcessorMaxTimeShift': '"50ms"',
} as const;

/** True if a server can listen at a port of loopback. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
  });

export const anyFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, LOOPBACK, () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

/** Returns the preferred ports if they are free, so that the Web UI keeps its address; otherwise other free ports. */
export async function choosePorts(preferred: {
  port: number;
  uiPort: number;
}): Promise<{ port: number; uiPort: number }> {
  return {
    port: (await isFree(preferred.port)) ? preferred.port : await anyFreePort(),
    uiPort: (await isFree(preferred.uiPort)) ? preferred.uiPort : await anyFreePort(),
  };
}

/** A program that outlives this process: its arguments, the log that its output is appended to, and its environment. */
interface Detached {
  command: string;
  args: string[];
  log: string;
  env: NodeJS.ProcessEnv;
}

function launch(
  { command, args, log, env }: Detached,
  stdin: 'ignore' | 'pipe',
): { identity: ProcessIdentity; stdin: Writable | null } {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn(command, args, {
      detached: true,
      stdio: [stdin, output, output],
      env,
      cwd: dirname(log),
    });
    child.on('error', () => undefined); // reported below: there is no process
    const identity = child.pid === undefined ? null : identify(child.pid);
    child.unref();
    if (identity === null) throw new Error(`cannot start ${command}; see ${log}`);
    return { identity, stdin: child.stdin };
  } finally {
    closeSync(output);
  }
}

/** Starts a program that outlives this process, with its output appended to a log file. Throws if it does not start. */
export const startDetached = (command: string, args: string[], log: string): ProcessIdentity =>
  launch({ command, args, log, env: process.env }, 'ignore').identity;

/** Records which process was started. Its errors are thrown to the caller that starts the process. */
export type Recorder = (process: ProcessIdentity) => Promise<void> | void;

/**
 * Like `startDetached`, but the program runs only after it is recorded. If this process is killed before that, the
 * program never runs: a shell waits for a line and then becomes the program, with the same identity. Without the line
 * the shell ends, because its input is closed when this process ends.
 */
export async function startRecorded({ command, args, log, env }: Detached, record: Recorder): Promise<ProcessIdentity> {
  const shell = ['-c', 'read -r line && exec "$@" </dev/null', 'sh', command, ...args];
  const { identity, stdin } = launch({ command: 'sh', args: shell, log, env }, 'pipe');
  stdin?.on('error', () => undefined); // it has already ended; its log says why
  try {
    await record(identity);
    stdin?.write('\n');
  } finally {
    stdin?.end();
  }
  return identity;
}

/** Starts the Temporal development server with a SQLite file, detached. It is ready when its port answers. */
export const startServer = (
  temporal: TemporalExecutable,
  stateFolder: string,
  ports: { port: number; uiPort: number },
  record: Recorder,
): Promise<ProcessIdentity> =>
  startRecorded(
    {
      // The database contains prompts and messages. Nobody else may read it, wherever the folder is moved.
      command: 'sh',
      args: [
        ...['-c', 'umask 077 && exec "$@"', 'sh', temporal.path],
        ...['server', 'start-dev', '--ip', LOOPBACK, '--port', String(ports.port), '--ui-port', String(ports.uiPort)],
        ...['--db-filename', databaseFile(stateFolder, temporal.version)],
        // Safe if the process is killed. Full sync would take four times as long (specs/explanation/durability.md).
        ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
        ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
        ...Object.entries(TUNING).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
        ...['--log-level', 'warn', '--log-format', 'json'],
      ],
      log: logFile(stateFolder, 'server'),
      // Nothing else of the user's environment: it may contain keys, and the server outlives the shell.
      env: {
        PATH: process.env['PATH'],
        HOME: stateFolder,
        TMPDIR: process.env['TMPDIR'],
        // Its single SQLite connection does one thing at a time, so more processors would only search for work.
        GOMAXPROCS: '1',
      },
    },
    record,
  );

/** Returns the last lines of a log, for a message that says why something did not start. */
export async function readTail(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-5).join('\n').slice(-1500);
}

/** Waits for a process to end. Returns false if it is still alive after `timeoutMs`. */
export async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  return (await waitUntil(() => (isAlive(identity) ? null : true), timeoutMs, 20)) ?? false;
}

const STOP_MS = 10_000;

/** Asks a process to end, and kills it if it does not within 10 s. Returns false if it is still alive. */
export async function endProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGTERM')) return true;
  return (await waitForExit(identity, STOP_MS)) || killProcess(identity);
}

/** Kills a process with SIGKILL. Returns false if it is still alive after 10 s. */
export async function killProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGKILL')) return true;
  return waitForExit(identity, STOP_MS);
}
