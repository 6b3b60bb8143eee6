import { join } from 'node:path';
import { remembered } from '#host';
import type { ResultLine } from '#model';
import { inParallel } from '#lib';
import { lostText, parseRunEnd, type Lost, type RunEnd } from './fence.js';
import { addLines } from './mirror-lines.js';
import { cellObject, type RunName, cellsFolder } from './names.js';
import { pullResults } from './pull-results.js';
import type { SharedProject } from './shared-project.js';
import { newestOf, roundsOf } from './rounds.js';

/**
 * `published`: the line is now the result of the run. `{line}`: the run already had this result. `lost`: the run was
 * given up, so it must leave no result.
 */
type Published = 'published' | 'lost' | { line: ResultLine };

/**
 * Publishes the result of a run, once: whoever creates its object first decides. Before that, stores the run's folder,
 * if it has one of its own.
 */
export async function publishResult(project: SharedProject, run: RunName, line: ResultLine): Promise<Published> {
  const { store, resultsPath } = project;
  const object = cellObject(run);
  const text = JSON.stringify(line);
  const before = await endOfRun(project, run);
  if (before === null && line.results_dir === line.id) await store.putFolder(line.id, join(resultsPath, line.id));
  const end = before ?? (await claim(project, object, text));
  if (end.kind === 'lost') return 'lost';
  await pullEarlierRounds(project, run);
  await addLines(project, [end.text]);
  return end.text === text ? 'published' : { line: end.line };
}

/**
 * Publishes the line of a cell whose run has left no result. If it was run several times because hosts were lost, the
 * line takes the place of the last of these runs. Returns the result that the cell has.
 */
export async function publishWithoutRun(
  project: SharedProject,
  run: Omit<RunName, 'incarnation'>,
  line: ResultLine,
): Promise<ResultLine> {
  for (let incarnation = 1; ; incarnation++) {
    const published = await publishResult(project, { ...run, incarnation }, line);
    if (published !== 'lost') return published === 'published' ? line : published.line;
  }
}

/** Gives up a run: a result that it publishes later does not count. Returns its result if it has one already. */
export async function markLost(project: SharedProject, run: RunName, lost: Lost): Promise<ResultLine | null> {
  const end = await claim(project, cellObject(run), lostText(lost));
  return end.kind === 'lost' ? null : end.line;
}

/** Creates the object of a run, unless it exists. Returns what it says then. */
async function claim({ store }: SharedProject, object: string, text: string): Promise<RunEnd> {
  if (await store.putOnce(object, text)) return parseRunEnd(object, Buffer.from(text));
  const data = await store.get(object);
  if (data === null) throw new Error(`${object} could neither be created nor read in ${store.location}`);
  return parseRunEnd(object, data);
}

/** Returns how a run has ended; null if it has not. */
async function endOfRun({ store }: SharedProject, run: RunName): Promise<RunEnd | null> {
  const object = cellObject(run);
  const data = await store.get(object);
  return data === null ? null : parseRunEnd(object, data);
}

/** Rounds whose earlier rounds the mirror has. */
const complete = remembered(() => new Set<string>());

/**
 * The last line of a cell in results.jsonl counts, so the mirror must have the results of earlier rounds before one of
 * this round. They do not change any more.
 */
async function pullEarlierRounds(project: SharedProject, { sweep, round, redo = 0 }: RunName): Promise<void> {
  // Neither does an error of this round after which the cell was run again.
  if (redo > 0) return pullResults(project, sweep);
  const key = `${project.stateFolder} ${sweep} ${round}`;
  if (round === 1 || complete().has(key)) return;
  await pullResults(project, sweep);
  complete().add(key);
}

const AT_ONCE = 16;

/**
 * Gives up what is left of earlier rounds, for cells that are about to be run in this one: a late result
 * of such a run does not count. Fetches the results of runs that ended in time. `redo`: number of results of a cell
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
