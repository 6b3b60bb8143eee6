import { existsSync } from 'node:fs';
import { inParallel } from '../../lib/in-parallel.js';
import { isJsonObject, parseJson } from '../../lib/json.js';
import { linesOf } from '../../platform/fs/lines.js';
import { writeFileAtomic } from '../../platform/fs/write-file.js';
import { resultsLog, summaryFile } from '../results-folder.js';
import { cellObject, cellsFolder, endedObject, resultsObject, summaryObject } from './names.js';
import { markLost } from './publish-result.js';
import { pullResults } from './pull-results.js';
import { newestOf, roundsOf } from './rounds.js';
import type { SharedProject } from './shared-project.js';
import { withRelativeFolders } from './summary.js';

const AT_ONCE = 16;

/** Ends a round of a sweep whose results are all in the mirror. If it has ended already, that stays as it is. */
export async function endSharedRound(
  project: SharedProject,
  sweep: string,
  round: number,
  summary: string,
): Promise<void> {
  const { store, resultsPath } = project;
  const shared = withRelativeFolders(summary, resultsPath);
  await store.putOnce(resultsObject(sweep, round), linesOfSweep(resultsLog(resultsPath), sweep).join(''));
  await store.put(summaryObject(sweep), shared);
  await store.putOnce(endedObject(sweep, round), shared);
  await writeFileAtomic(summaryFile(resultsPath, sweep), summary);
}

function linesOfSweep(log: string, sweep: string): string[] {
  const found: string[] = [];
  if (!existsSync(log)) return found;
  for (const { text } of linesOf(log, Infinity)) {
    const line = parseJson(text);
    if (isJsonObject(line) && line['sweep'] === sweep) found.push(`${text}\n`);
  }
  return found;
}

/**
 * Gives up what is left of earlier rounds, for cells that have no result and are about to be run in this one: a late
 * result of such a run does not count. Brings the results of runs that were faster.
 */
export async function giveUpEarlierRounds(
  project: SharedProject,
  sweep: string,
  round: number,
  cells: readonly string[],
): Promise<void> {
  const { begun, ended } = await roundsOf(project, sweep);
  const open = begun.filter((one) => one < round && one > newestOf(ended));
  if (open.length === 0 || cells.length === 0) return;
  const names = new Set(
    (await project.store.list(cellsFolder(sweep))).map((name) => `${cellsFolder(sweep)}/${name}`),
  );
  const left = open.flatMap((earlier) =>
    cells.map((cell) => {
      const run = { sweep, cell, round: earlier, incarnation: 1 };
      // The cell has no result, so the objects of its runs say that they were lost.
      while (names.has(cellObject(run))) run.incarnation += 1;
      return run;
    }),
  );
  const lost = { round, at: new Date().toISOString() };
  const ends = await inParallel(AT_ONCE, left, (run) => markLost(project, run, lost));
  if (ends.some((line) => line !== null)) await pullResults(project, sweep);
}
