import { statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { everySecond } from './every-second.js';
import { readTextIfThere } from '../fs/read-file.js';

/** When a growing file had which size: gives the lines of an agent's output the times at which they came. */
export interface OutputTimeline {
  bytes: number;
  at: number;
}

/** Notes the growth of `file` in `log` until `over` resolves. What an earlier worker noted stays. */
export async function recordTimeline(file: string, log: string, over: Promise<unknown>): Promise<void> {
  let seen = (await readTimeline(log)).at(-1)?.bytes ?? 0;
  let writing = Promise.resolve();
  const check = (): void => {
    const size = sizeOf(file);
    if (size <= seen) return;
    const line = `${(seen = size)} ${Date.now()}\n`;
    writing = writing.then(() => appendFile(log, line, { mode: 0o600 }));
    writing.catch(() => undefined); // told at the end
  };
  check();
  const stop = everySecond(check);
  await over.catch(() => undefined);
  stop();
  check();
  await writing;
}

/** 0 for what is not there, or not to be looked at: an agent may have done something to it. */
function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** What was noted, in order; a line that lost its time is passed over. */
export async function readTimeline(log: string): Promise<OutputTimeline[]> {
  const lines = ((await readTextIfThere(log)) ?? '').split('\n');
  return lines
    .map((line) => line.split(' ').map(Number))
    .flatMap(([bytes, at]) => (bytes !== undefined && at !== undefined && at > 0 ? [{ bytes, at }] : []));
}

/** When the byte before `end` had arrived, ms since the epoch; `otherwise` where nothing was noted. */
export function arrivalOf(end: number, growth: readonly OutputTimeline[], otherwise: number): number {
  return growth.find(({ bytes }) => bytes >= end)?.at ?? otherwise;
}
