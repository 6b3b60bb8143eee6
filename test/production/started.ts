import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readTail } from '../../src/engine/server.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { killProcess } from '../host/processes.js';

const READY_MS = 60_000;
const STOP_MS = 20_000;

/** A process that ends with the tests. */
export interface Started {
  pid: number;
  /** Waits for a state; throws with the end of the log if it is not reached or the process ends before. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Sends a signal and waits for the end; sends SIGKILL if that takes too long. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const running = new Set<number>();
// Kills the processes even if the tests end without running their hooks.
process.once('exit', () => running.forEach((pid) => killProcess(pid)));

export function startProcess(
  [command = '', ...args]: string[],
  { env, cwd, log }: { env: NodeJS.ProcessEnv; cwd: string; log: string },
): Started {
  const output = openSync(log, 'a');
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', output, output] });
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${command}`);
  running.add(pid);
  let ended = false;
  child.once('exit', () => {
    ended = true;
    running.delete(pid);
  });
  return {
    pid,
    async until(what, isSo) {
      const so = await waitUntil(async () => (ended ? false : (await isSo()) ? true : null), READY_MS, 100);
      if (so !== true) throw new Error(`did not happen: ${what}\n${await readTail(log)}`);
    },
    async end(signal) {
      killProcess(pid, signal);
      const dead = await waitUntil(() => (ended ? true : null), STOP_MS);
      if (dead === null) killProcess(pid);
    },
  };
}
