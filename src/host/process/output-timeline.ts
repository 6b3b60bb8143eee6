import { statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { everySecond } from './waiting.js';
import { readTextIfThere } from '../fs/read-file.js';

/** When a file had reached which size. Gives the lines of an agent's output the times at which they arrived. */
export interface OutputTimeline {
  bytes: number;
  at: number;
}

/** Records the growth of `file` in `log` until `over` settles. Keeps what an earlier worker recorded. */
export async function recordTimeline(file: string, log: string, over: Promise<unknown>): Promise<void> {
  let seen = (await readTimeline(log)).at(-1)?.bytes ?? 0;
  let writing = Promise.resolve();
  const check = (): void => {
    const size = sizeOf(file);
    if (size <= seen) return;
    const line = `${(seen = size)} ${Date.now()}\n`;
    writing = writing.then(() => appendFile(log, line, { mode: 0o600 }));
    writing.catch(() => undefined); // thrown at the end
  };
  check();
  const stop = everySecond(check);
  await over.catch(() => undefined);
  stop();
  check();
  await writing;
}

/** Size of a file in bytes; 0 if it is missing or inaccessible: an agent may have changed it. */
export function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** When a file was last written, in ms since the epoch; null if it is missing or inaccessible. */
export function writtenAt(file: string): number | null {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return null;
  }
}

/** Returns what was recorded, in order. Skips a line that lost its time. */
export async function readTimeline(log: string): Promise<OutputTimeline[]> {
  const lines = ((await readTextIfThere(log)) ?? '').split('\n');
  return lines
    .map((line) => line.split(' ').map(Number))
    .flatMap(([bytes, at]) => (bytes !== undefined && at !== undefined && at > 0 ? [{ bytes, at }] : []));
}

/** Returns when the byte before `end` arrived, in ms since the epoch; `otherwise` if that was not recorded. */
export function arrivalOf(end: number, growth: readonly OutputTimeline[], otherwise: number): number {
  return growth.find(({ bytes }) => bytes >= end)?.at ?? otherwise;
}
