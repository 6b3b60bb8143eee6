import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './waiting.js';

export const RUN_MARK = 'LLM_TOOL_TEST_RUN';

/**
 * Returns the mark of a part of a run, below the run's own mark. A supervisor kills everything that carries its agent's
 * mark, but neither itself nor the background processes of setup commands.
 */
export const markOf = (run: string, part: string): string => `${run}/${part}`;

/** Returns the processes whose environment has a run's mark, or a mark below it. Always empty except on Linux. */
export function markedProcesses(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  // Searches the raw bytes: there may be hundreds of processes, and every run calls this twice.
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
        return false; // gone, or unreadable for us
      }
    });
}

/** Long enough for a process with gigabytes of memory to die. */
const DYING_MS = 2000;

/** Kills these processes and waits until they are gone. Repeats, because one may fork between the look and the kill. */
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
    // Already gone.
  }
}
