import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitUntil } from '../../src/host/process/waiting.js';

let count = 0;

/** A number of seconds that no other test sleeps for, so that processes are identified by their command lines. */
export const uniqueSeconds = (): string => `98${process.pid}.${++count}`;

/** Live processes, without zombies, with `text` in their command line. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text); // that of a zombie is empty
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The processes of a project, by its state folder, that run this script themselves, rather than supervise it. */
export const thatRun = (state: string, script: string): number[] =>
  processesWith(state).filter((pid) =>
    // A process that names itself does so with spaces.
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').split(/[\0 ]/)[1]?.endsWith(script),
  );

/** Children of a process that have ended but not been waited for yet. */
export function zombiesOf(parent: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state === 'Z' && Number(ppid) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
};

/** Kills all processes with `text` in their command line. Some may end because others do. */
export const killAll = (text: string): void => processesWith(text).forEach(kill);

/** Kills the remaining processes of a test after it, no matter how it ended. */
export function killWhenFinished(text: string): void {
  onTestFinished(() => killAll(text));
}

/** True if no process with `text` in its command line is left; dying ones get `timeoutMs` to end. */
export const allGone = async (text: string, timeoutMs = 10_000): Promise<boolean> =>
  (await waitUntil(() => (processesWith(text).length === 0 ? true : null), timeoutMs, 10)) ?? false;

/** Waits until there are `wanted` processes with `text` in their command line. */
export async function running(text: string, wanted = 1): Promise<number[]> {
  const found = await waitUntil(
    () => {
      const now = processesWith(text);
      return now.length >= wanted ? now : null;
    },
    30_000,
    10,
  );
  if (found === null) throw new Error(`${processesWith(text).length} processes with ${text}, not ${wanted}`);
  return found;
}
