import { inParallel } from '#lib';
import { cellObject, cellsFolder, type RunName } from './names.js';
import { endOfRun, markLost } from './publish-result.js';
import { pullResults } from './pull-results.js';
import { newestOf, roundsOf } from './rounds.js';
import type { SharedProject } from './shared-project.js';

const AT_ONCE = 16;

/**
 * Gives up what is left of earlier rounds, for cells that are about to be run in this one: a late
 * result of such a run does not count. Brings the results of runs that were faster. `redo`: number of results of a cell
 * that may have been run again in such a round because of an error; 0 if that is not done in its sweep.
 */
export async function giveUpEarlierRounds(
  project: SharedProject,
  sweep: string,
  round: number,
  cells: readonly { cell: string; redo: number }[],
): Promise<void> {
  const { begun, ended } = await roundsOf(project, sweep);
  const open = begun.filter((one) => one < round && one > newestOf(ended));
  if (open.length === 0 || cells.length === 0) return;
  const folder = cellsFolder(sweep);
  const names = new Set((await project.store.list(folder)).map((name) => `${folder}/${name}`));
  const runs = open.flatMap((earlier) =>
    cells.flatMap(({ cell, redo }) => [
      { sweep, cell, round: earlier },
      ...(redo === 0 ? [] : [{ sweep, cell, round: earlier, redo }]),
    ]),
  );
  const at = new Date().toISOString();
  const results = await inParallel(AT_ONCE, runs, async (run) => {
    const last = await lastRun(project, run, names);
    return last === null || (await markLost(project, last, { round, at })) !== null;
  });
  if (results.includes(true)) await pullResults(project, sweep);
}

/** Returns the run of a cell that may still end; null if one has a result. `names`: the objects that there are. */
async function lastRun(
  project: SharedProject,
  of: Omit<RunName, 'incarnation'>,
  names: ReadonlySet<string>,
): Promise<RunName | null> {
  for (let incarnation = 1; ; incarnation++) {
    const run = { ...of, incarnation };
    if (!names.has(cellObject(run))) return run;
    if ((await endOfRun(project, run))?.kind === 'result') return null;
  }
}
