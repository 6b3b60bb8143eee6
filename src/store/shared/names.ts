import { sha256 } from '#lib';
import { TEMPORARY } from '#host';

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
  return name.length <= LONGEST_CELL ? name : `${name.slice(0, LONGEST_CELL - 17)}-${sha256(cell).slice(0, 16)}`;
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
/** Exists while a sweep is paused. */
export const pausedObject = (sweep: string): string => `${ROUNDS}/${sweep}.paused`;

/** The mark that an object in ROUNDS gives a sweep. */
type RoundMark = { sweep: string; mark: 'begun' | 'ended'; round: number } | { sweep: string; mark: 'paused' };

/** Parses the name of an object in ROUNDS; null if it has another form. */
export function parseRoundMark(name: string): RoundMark | null {
  const [, sweep = '', round, ended] = /^(.+)\.(?:r(\d+)(\.ended)?|paused)$/.exec(name) ?? [];
  if (sweep === '') return null;
  if (round === undefined) return { sweep, mark: 'paused' };
  return { sweep, mark: ended === undefined ? 'begun' : 'ended', round: Number(round) };
}

/** Folder with the records of hosts. */
export const HOSTS = '.shared/hosts';
export const hostObject = (host: string): string => `${HOSTS}/${host}.json`;
/** Exists while a host must take no more runs. */
export const drainObject = (host: string): string => `.shared/drains/${host}`;

export const planObject = (sweep: string): string => `sweeps/${sweep}/plan.json`;
export const summaryObject = (sweep: string): string => `sweeps/${sweep}/summary.json`;
/** All result lines of a sweep when a round ended. */
export const resultsObject = (sweep: string, round: number): string => `sweeps/${sweep}/results.r${round}.jsonl`;
export const storedObject = (hash: string): string => `.store/${hash}`;

/** File systems allow 255 bytes, and a temporary name is up to 30 bytes longer. */
const MAX_PART = 220;
/** S3 allows 1024 bytes, with the prefix. */
const MAX_NAME = 800;
/** The ending of a stored folder in a bucket, where it is one object. */
export const FOLDER_END = '.tar.gz';

/** Returns why a text cannot name an object or a stored folder; null if it can. The same in every kind of store. */
export function objectNameProblem(name: string): string | null {
  if (/[\u0000-\u001f\u007f\\]/.test(name)) return 'it contains a control character or a backslash';
  if (Buffer.from(name).toString() !== name) return 'it is not valid Unicode';
  if (Buffer.byteLength(name) > MAX_NAME) return `it is longer than ${MAX_NAME} bytes`;
  if (name.endsWith(FOLDER_END)) return `it ends with "${FOLDER_END}"`;
  for (const part of name.split('/')) {
    if (part === '') return 'it has an empty part';
    if (part === '.' || part === '..') return `it contains "${part}"`;
    if (Buffer.byteLength(part) > MAX_PART) return `a part of it is longer than ${MAX_PART} bytes`;
    if (isHidden(part)) return `"${part}" is the name of a temporary file`;
  }
  return null;
}

/** True for what writers, and NFS itself, have left in a folder: temporary files, and files removed while open. */
export const isHidden = (part: string): boolean => TEMPORARY.test(part) || part.startsWith('.nfs');

/** Returns the name. @throws Error if it cannot name an object */
export function checkedName(name: string): string {
  const problem = objectNameProblem(name);
  if (problem !== null) throw new Error(`${JSON.stringify(name)} cannot name an object: ${problem}`);
  return name;
}
