import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextIfThere, writeFileAtomic } from '#host';
import { roundFile, summaryFile } from './results-folder.js';
import { endSharedRound } from './shared/end-round.js';
import { beginSharedRound, newestOf, roundsOf } from './shared/rounds.js';
import { sharedProjectOf } from './shared/shared-project.js';

/** Returns the newest round of a sweep that was started; 1 by default. */
export async function newestRound(results: string, sweep: string): Promise<number> {
  const project = await sharedProjectOf(results);
  if (project !== null) return Math.max(1, newestOf((await roundsOf(project, sweep)).begun));
  const round = Number((await readTextIfThere(roundFile(results, sweep))) ?? 1);
  return Number.isInteger(round) && round > 0 ? round : 1;
}

/**
 * Records that a round of a sweep has begun. From then on, what is left of earlier rounds must not write for the sweep.
 */
export async function beginRound(results: string, sweep: string, round: number): Promise<void> {
  const project = await sharedProjectOf(results);
  if (project !== null) return beginSharedRound(project, sweep, round);
  if ((await newestRound(results, sweep)) >= round) return;
  const file = roundFile(results, sweep);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, `${round}\n`);
}

/** Records that a round has ended, and with it the sweep, until another round begins. `summary`: its text. */
export async function endRound(
  results: string,
  sweep: string,
  round: number,
  summary: string,
): Promise<void> {
  const project = await sharedProjectOf(results);
  if (project !== null) return endSharedRound(project, sweep, round, summary);
  await writeFileAtomic(summaryFile(results, sweep), summary);
}
