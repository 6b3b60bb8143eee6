import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitUntil } from '../../src/host/process/waiting.js';

let count = 0;

/** A number of seconds that no other test sleeps for, so that processes are identified by their command lines. */
export const uniqueSeconds = (): string => `98${process.pid}.${++count}`;

/** The codes of errors about a process that has just ended, or that belongs to somebody else. */
const OUT_OF_REACH: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** Returns what `read` does; `otherwise` if the process that it is about has ended, which it may at any time. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code)) return otherwise;
    throw error;
  }
}

/** A file of a process below /proc, like `stat`; empty if the process has ended. */
export const readProc = (pid: number, file: string): string =>
  unlessGone(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'), '');

/** The target of a link of a process below /proc, like `ns/net`; empty if the process has ended. */
export const procLink = (pid: number, link: string): string =>
  unlessGone(() => readlinkSync(`/proc/${pid}/${link}`), '');

/** The files, pipes and sockets that a process has open. */
export const openFiles = (pid: number): string[] =>
  unlessGone(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) => procLink(pid, `fd/${fd}`));

/** Sends a signal to a process, which may have ended. */
export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (!(pid > 0)) throw new Error(`${pid} is not the id of a process`); // 0 is this process and others
  unlessGone(() => process.kill(pid, signal), false);
}

/** The processes of this machine, with zombies. */
export const allProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Live processes, without zombies, with `text` in their command line. */
export const processesWith = (text: string): number[] =>
  // The command line of a zombie is empty.
  allProcesses().filter((pid) => pid !== process.pid && readProc(pid, 'cmdline').includes(text));

/** The processes of a project, by its state folder, that run this script themselves, rather than supervise it. */
export const thatRun = (state: string, script: string): number[] =>
  // A process that names itself does so with spaces.
  processesWith(state).filter((pid) => readProc(pid, 'cmdline').split(/[\0 ]/)[1]?.endsWith(script));

/** The pipes from which a process has not yet read that nobody writes to them any more. */
export function pipesWithoutWriter(pid: number): string[] {
  const opened = allProcesses().flatMap(openFiles);
  // A process that has both ends of a pipe has two descriptors.
  return openFiles(pid).filter((file) => file.startsWith('pipe:') && opened.indexOf(file) === opened.lastIndexOf(file));
}

/** Kills all processes with `text` in their command line. Some may end because others do. */
export const killAll = (text: string): void => processesWith(text).forEach((pid) => killProcess(pid));

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
