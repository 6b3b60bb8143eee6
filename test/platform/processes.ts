import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitUntil } from '../../src/platform/process/wait-until.js';

let count = 0;

/** A number of seconds that no other test sleeps for, so that a process is known by its command line. */
export const uniqueSeconds = (): string => `98${process.pid}.${++count}`;

/** Live processes, zombies left out, whose command line contains `text`. */
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

/** Children of a process that have ended and that it has not taken note of yet. */
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
    // gone already
  }
};

/** Kills what is left of a test when it is over, however it ended. */
export function killWhenFinished(text: string): void {
  onTestFinished(() => processesWith(text).forEach(kill));
}

/** Whether no process with `text` in its command line is left; one that is dying gets `timeoutMs`. */
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
