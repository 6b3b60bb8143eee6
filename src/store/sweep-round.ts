import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextIfThere } from '../platform/fs/read-file.js';
import { writeFileAtomic } from '../platform/fs/write-file.js';
import { roundFile } from './results-folder.js';

/** Returns the newest round of a sweep that was started; 1 by default. */
export async function newestRound(results: string, sweep: string): Promise<number> {
  const round = Number((await readTextIfThere(roundFile(results, sweep))) ?? 1);
  return Number.isInteger(round) && round > 0 ? round : 1;
}

/**
 * Records that a round of a sweep has begun. From then on, what is left of earlier rounds must not write for the sweep.
 */
export async function beginRound(results: string, sweep: string, round: number): Promise<void> {
  if ((await newestRound(results, sweep)) >= round) return;
  const file = roundFile(results, sweep);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, `${round}\n`);
}
