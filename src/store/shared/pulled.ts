import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SharedProject } from './shared-project.js';
import { readText } from '../../platform/fs/read-file.js';

/*
 * What the mirror has already, so that it is not asked for again: rounds that have ended, and objects of the rounds that
 * have not. After a power failure, some of it may be missing; then it is brought again, and known lines are left out.
 */
const endedFile = ({ stateFolder }: SharedProject): string => join(stateFolder, 'pulled', 'ended');
const openFile = ({ stateFolder }: SharedProject, sweep: string): string =>
  join(stateFolder, 'pulled', `${sweep}.open`);

/** Returns the ended rounds that the mirror has, by the names of their objects. */
export const pulledRounds = (project: SharedProject): Set<string> => new Set(linesIn(endedFile(project)));

/** Notes that the mirror has a sweep up to a round that has ended. */
export function noteRound(project: SharedProject, sweep: string, round: string): void {
  add(endedFile(project), [round]);
  rmSync(openFile(project, sweep), { force: true });
}

/** Returns the objects of a sweep's open rounds that the mirror has. */
export const pulledCells = (project: SharedProject, sweep: string): Set<string> =>
  new Set(linesIn(openFile(project, sweep)));

export const noteCells = (project: SharedProject, sweep: string, names: readonly string[]): void =>
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
