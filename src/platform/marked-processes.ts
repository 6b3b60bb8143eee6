import { readdirSync, readFileSync } from 'node:fs';

export const RUN_MARK = 'LLM_TOOL_TEST_RUN';

/** The mark of a run's supervisors: another one, because a supervisor kills all that carries the run's. */
export const supervisorMark = (mark: string): string => `${mark}/supervisor`;

/** Processes that carry a run's mark, or its supervisors', in their environment. Linux only; elsewhere none are found. */
export function markedProcesses(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  const needles = [mark, supervisorMark(mark)].map((value) => `${RUN_MARK}=${value}\0`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        if (pid === process.pid) return false;
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
        return needles.some((needle) => environment.includes(needle));
      } catch {
        return false; // gone, or not ours to read
      }
    });
}

/** Kills them, again until none is left: a process may fork between the look and the kill. */
export function killMarked(mark: string): void {
  for (let round = 0; round < 10; round++) {
    const found = markedProcesses(mark);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // gone already
      }
    }
  }
}
