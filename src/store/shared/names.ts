import { sha256 } from '#lib';

/*
 * Names of the objects in a shared place. Folders of runs and of `.store` have the same names as in a results folder.
 */
export const PROJECT = '.shared/project.json';
export const KEY = '.shared/key';
export const ROUNDS = '.shared/rounds';

/** One run of a cell in a round of a sweep. After a host was lost, the cell is run again as the next incarnation. */
export interface RunName {
  sweep: string;
  cell: string;
  round: number;
  /** Number of results that the cell had, if it was run again in the same round because of an error; else absent. */
  redo?: number;
  /** From 1. */
  incarnation: number;
}

export const cellsFolder = (sweep: string): string => `.shared/cells/${sweep}`;

/** The object with the result line of a run, or the note that the run was lost. */
export const cellObject = ({ sweep, cell, round, redo = 0, incarnation }: RunName): string =>
  `${cellsFolder(sweep)}/${encodedCell(cell)}.r${round}${redo === 0 ? '' : `.redo${redo}`}.i${incarnation}.json`;

/** In bytes. The id of a cell is ASCII. */
const LONGEST_CELL = 160;

/** Ids of cells contain slashes, but no `=`: see `Cell`. */
function encodedCell(cell: string): string {
  const name = cell.replaceAll('/', '=');
  return name.length <= LONGEST_CELL
    ? name
    : `${name.slice(0, LONGEST_CELL - 17)}-${sha256(cell).slice(0, 16)}`;
}

/** Returns the numbers of an object in the folder of a sweep's cells; null for other objects. */
export function numbersOfCell(name: string): { round: number; redo: number } | null {
  const [, round, redo = '0'] = /\.r(\d+)(?:\.redo(\d+))?\.i\d+\.json$/.exec(name) ?? [];
  return round === undefined ? null : { round: Number(round), redo: Number(redo) };
}

/** Created when a round of a sweep begins. */
export const roundObject = (sweep: string, round: number): string => `${ROUNDS}/${sweep}.r${round}`;
/** Created when a round of a sweep has ended, with the sweep's summary. */
export const endedObject = (sweep: string, round: number): string => `${roundObject(sweep, round)}.ended`;
/** There while a sweep is paused. */
export const pausedObject = (sweep: string): string => `${ROUNDS}/${sweep}.paused`;

/** What an object in ROUNDS says of a sweep. */
export type RoundMark =
  { sweep: string; mark: 'begun' | 'ended'; round: number } | { sweep: string; mark: 'paused' };

/** Returns what an object in ROUNDS says; null if it has another name. */
export function parseRoundMark(name: string): RoundMark | null {
  const [, sweep = '', round, ended] = /^(.+)\.(?:r(\d+)(\.ended)?|paused)$/.exec(name) ?? [];
  if (sweep === '') return null;
  if (round === undefined) return { sweep, mark: 'paused' };
  return { sweep, mark: ended === undefined ? 'begun' : 'ended', round: Number(round) };
}

/** Folder with what each host says about itself. */
export const HOSTS = '.shared/hosts';
export const hostObject = (host: string): string => `${HOSTS}/${host}.json`;
/** There while a host is to take no more runs. */
export const drainObject = (host: string): string => `.shared/drains/${host}`;

export const planObject = (sweep: string): string => `sweeps/${sweep}/plan.json`;
export const summaryObject = (sweep: string): string => `sweeps/${sweep}/summary.json`;
/** All result lines of a sweep when a round ended. */
export const resultsObject = (sweep: string, round: number): string =>
  `sweeps/${sweep}/results.r${round}.jsonl`;
export const storedObject = (hash: string): string => `.store/${hash}`;
