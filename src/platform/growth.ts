import { statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTextIfThere } from './read-file.js';

/** When a growing file had which size: gives the lines of an agent's output the times at which they came. */
export interface Growth {
  bytes: number;
  at: number;
}

const INTERVAL_MS = 200;

/** Notes the growth of `file` in `log` until `over` resolves. What an earlier worker noted stays. */
export async function recordGrowth(file: string, log: string, over: Promise<unknown>): Promise<void> {
  const state = { over: false };
  const setOver = (): void => void (state.over = true);
  const end = over.then(setOver, setOver);
  let seen = (await readGrowth(log)).at(-1)?.bytes ?? 0;
  for (;;) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? seen;
    if (size > seen) await appendFile(log, `${(seen = size)} ${Date.now()}\n`, { mode: 0o600 });
    if (state.over) return;
    await Promise.race([end, sleep(INTERVAL_MS)]);
  }
}

export async function readGrowth(log: string): Promise<Growth[]> {
  const lines = ((await readTextIfThere(log)) ?? '').split('\n');
  return lines
    .map((line) => line.split(' ').map(Number))
    .flatMap(([bytes, at]) => (bytes !== undefined && at !== undefined && at > 0 ? [{ bytes, at }] : []));
}

/** When the byte before `end` had arrived, ms since the epoch; `otherwise` where nothing was noted. */
export function arrivalOf(end: number, growth: readonly Growth[], otherwise: number): number {
  return growth.find(({ bytes }) => bytes >= end)?.at ?? otherwise;
}
