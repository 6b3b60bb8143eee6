import { existsSync, rmSync, appendFileSync, mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readText, writeFileAtomic, remembered } from '#host';
import { createMutex, inParallel } from '#lib';
import { pausedFile, planFile, summaryFile } from '../results-folder.js';
import { parseRunEnd } from './fence.js';
import { addLines } from './mirror-lines.js';
import { cellsFolder, endedObject, numbersOfCell, planObject, resultsObject } from './names.js';
import { endedRound, newestOf, roundsOfSweeps, type Rounds } from './rounds.js';
import { type SharedProject, sharedProjectOf } from './shared-project.js';
import { withFoldersOf } from '../sweep-round.js';

const AT_ONCE = 16;
/** A lock within this process; it holds no data. */
const inTurn = createMutex();

/**
 * Brings what others have published into the mirror: plans, results and summaries of all sweeps, or of one. Asks only
 * for what the mirror lacks.
 */
export const pullResults = (project: SharedProject, sweep?: string): Promise<void> =>
  inTurn(async () => {
    const sweeps = [...(await roundsOfSweeps(project))].filter(([id]) => sweep === undefined || id === sweep);
    const pulled = pulledRounds(project);
    await inParallel(AT_ONCE, sweeps, ([id, rounds]) => pullSweep(project, id, rounds, pulled));
  });

async function pullSweep(
  project: SharedProject,
  sweep: string,
  rounds: Rounds,
  pulled: ReadonlySet<string>,
): Promise<void> {
  const newest = newestOf(rounds.begun);
  const ended = newestOf(rounds.ended);
  const isOpen = newest > ended;
  if (isOpen || !pulled.has(endedObject(sweep, ended))) await pullPlan(project, sweep);
  if (ended > 0 && !pulled.has(endedObject(sweep, ended))) await pullEnded(project, sweep, ended, isOpen);
  if (isOpen) await pullOpen(project, sweep, ended);
  await notePause(project, sweep, isOpen && rounds.paused);
}

async function pullPlan({ store, resultsPath }: SharedProject, sweep: string): Promise<void> {
  const file = planFile(resultsPath, sweep);
  if (existsSync(file)) return;
  const plan = await store.get(planObject(sweep));
  if (plan !== null) await writeFileAtomic(file, plan);
}

/** Brings all lines of a sweep up to a round that has ended. */
async function pullEnded(project: SharedProject, sweep: string, round: number, isOpen: boolean): Promise<void> {
  const { store, resultsPath } = project;
  const lines = (await store.get(resultsObject(sweep, round)))?.toString().split('\n') ?? [];
  await addLines(
    project,
    lines.filter((line) => line !== ''),
  );
  const summary = isOpen ? null : await endedRound(project, sweep, round);
  if (summary !== null)
    await writeFileAtomic(summaryFile(resultsPath, sweep), withFoldersOf(summary.toString(), resultsPath));
  noteRound(project, sweep, endedObject(sweep, round));
}

/** Brings the results that rounds after `ended` have so far. */
async function pullOpen(project: SharedProject, sweep: string, ended: number): Promise<void> {
  const { store, resultsPath } = project;
  rmSync(summaryFile(resultsPath, sweep), { force: true });
  const known = pulledCells(project, sweep);
  const names = (await store.list(cellsFolder(sweep)))
    .flatMap((name) => {
      const numbers = known.has(name) ? null : numbersOfCell(name);
      return numbers === null || numbers.round <= ended ? [] : [{ name, ...numbers }];
    })
    // The last line of a cell counts.
    .sort((a, b) => a.round - b.round || a.redo - b.redo)
    .map(({ name }) => name);
  if (names.length === 0) return;
  const ends = await inParallel(AT_ONCE, names, async (name) => {
    const object = `${cellsFolder(sweep)}/${name}`;
    const data = await store.get(object);
    return data === null ? null : parseRunEnd(object, data);
  });
  await addLines(
    project,
    ends.flatMap((end) => (end?.kind === 'result' ? [end.text] : [])),
  );
  noteCells(
    project,
    sweep,
    names.filter((_, at) => ends[at] !== null),
  );
}

async function notePause({ resultsPath }: SharedProject, sweep: string, isPaused: boolean): Promise<void> {
  const file = pausedFile(resultsPath, sweep);
  if (existsSync(file) === isPaused) return;
  await (isPaused ? writeFile(file, '') : rm(file, { force: true }));
}

/*
 * The parts that the mirror has already, so that they are not asked for again: rounds that have ended, and objects of
 * the rounds that have not. After a power failure, some of it may be missing; then it is brought again, and known lines
 * are left out.
 */
const endedFile = ({ stateFolder }: SharedProject): string => join(stateFolder, 'pulled', 'ended');
const openFile = ({ stateFolder }: SharedProject, sweep: string): string =>
  join(stateFolder, 'pulled', `${sweep}.open`);

/** Returns the ended rounds that the mirror has, by the names of their objects. */
const pulledRounds = (project: SharedProject): Set<string> => new Set(linesIn(endedFile(project)));

/** Notes that the mirror has a sweep up to a round that has ended. */
function noteRound(project: SharedProject, sweep: string, round: string): void {
  add(endedFile(project), [round]);
  rmSync(openFile(project, sweep), { force: true });
}

/** Returns the objects of a sweep's open rounds that the mirror has. */
const pulledCells = (project: SharedProject, sweep: string): Set<string> => new Set(linesIn(openFile(project, sweep)));

const noteCells = (project: SharedProject, sweep: string, names: readonly string[]): void =>
  add(openFile(project, sweep), names);

function linesIn(file: string): string[] {
  try {
    return readText(file).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function add(file: string, names: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, names.map((name) => `${name}\n`).join(''), { mode: 0o600 });
}

/** Results that other hosts publish meanwhile are found this much later. */
const EVERY_MS = 15_000;

/**
 * The rounds whose earlier results are there, and when the project was asked last; by the state folder of the project.
 */
const brought = remembered(() => new Map<string, { rounds: Set<string>; at: number }>());

/**
 * Brings the results that a run in this round may reuse into the mirror: those of earlier rounds of its sweep, and
 * those that other sweeps had up to a few seconds ago. Does nothing for results that are not shared.
 */
export async function bringEarlier(resultsPath: string, sweep: string, round: number): Promise<void> {
  const project = await sharedProjectOf(resultsPath);
  if (project === null) return;
  const { stateFolder } = project;
  const key = JSON.stringify([sweep, round]);
  const before = brought().get(stateFolder);
  if (before?.rounds.has(key) === true && performance.now() - before.at < EVERY_MS) return;
  await pullResults(project);
  const rounds = brought().get(stateFolder)?.rounds ?? new Set();
  brought().set(stateFolder, { rounds: rounds.add(key), at: performance.now() });
}
