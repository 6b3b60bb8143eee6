import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.js';

export const RUN_MARK = 'LLM_TOOL_TEST_RUN';

/**
 * Parts of a run have marks of their own below the run's: a supervisor kills all that carries its agent's mark, and
 * neither itself nor what setup commands have put into the background.
 */
export const markOf = (run: string, part: string): string => `${run}/${part}`;

/** Processes that carry a run's mark, or one below it, in their environment. Linux only; elsewhere none are found. */
export function markedProcesses(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  // Sought in the bytes: there may be hundreds of processes, and this is asked twice for every run.
  const needles = ['\0', '/'].map((end) => Buffer.from(`${RUN_MARK}=${mark}${end}`));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        if (pid === process.pid) return false;
        const environment = readFileSync(`/proc/${pid}/environ`);
        return needles.some((needle) => environment.includes(needle));
      } catch {
        return false; // gone, or not ours to read
      }
    });
}

/** Long enough for a process to die that has gigabytes to give back. */
const DYING_MS = 2000;

/** Kills them and waits until they are gone; again and again, for a process may fork between the look and the kill. */
export async function killMarked(mark: string): Promise<void> {
  await waitUntil(
    () => {
      const found = markedProcesses(mark);
      found.forEach(kill);
      return found.length === 0 ? true : null;
    },
    DYING_MS,
    10,
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone already
  }
}
