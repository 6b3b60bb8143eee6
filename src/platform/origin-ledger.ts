import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextIfThere } from './fs/read-file.js';
import { writeOnce, writeNote } from './fs/write-file.js';
import { sha256 } from '../lib/hash.js';

/*
 * Which execution a proof was used by: whoever can read a history could start the same again. `<state>/origin/<sweep>`
 * has a folder for each order, in it a note for the sweep and for each run, and `closed` when nothing more may begin by it.
 */
export const ledgerFolder = (stateFolder: string, sweep: string): string =>
  join(stateFolder, 'origin', sweep);

const orderFolder = (stateFolder: string, sweep: string, order: string): string =>
  join(ledgerFolder(stateFolder, sweep), order);

/** Where the use of a proof is noted, by the id of the workflow that it is for. */
export const claimFile = (stateFolder: string, sweep: string, order: string, workflowId: string): string =>
  join(orderFolder(stateFolder, sweep, order), sha256(workflowId).slice(0, 16));

/** The execution that a proof is used by: the first that asked. */
export async function claim(file: string, execution: string): Promise<string> {
  writeOnce(file, execution);
  const claimed = await readTextIfThere(file);
  if (claimed !== null && claimed !== '') return claimed;
  // Written before a loss of power. Nobody but us can have made it.
  writeNote(file, execution);
  return execution;
}

/** `finished`: its sweep has ended; `superseded`: the sweep was started anew. */
type Closed = 'finished' | 'superseded';

/** Nothing more may begin by this order. What has begun may come to its end. */
export const closeOrder = (stateFolder: string, sweep: string, order: string, why: Closed): void =>
  writeOnce(join(orderFolder(stateFolder, sweep, order), 'closed'), why);

export const whyClosed = async (
  stateFolder: string,
  sweep: string,
  order: string,
): Promise<Closed | null> => {
  const text = await readTextIfThere(join(orderFolder(stateFolder, sweep, order), 'closed'));
  return text === null ? null : text === 'superseded' ? text : 'finished';
};

/** Closes all orders of a sweep but this one, which comes after them. */
export function supersede(stateFolder: string, sweep: string, by: string): void {
  const folder = ledgerFolder(stateFolder, sweep);
  const others = existsSync(folder) ? readdirSync(folder) : [];
  for (const order of others) if (order !== by) closeOrder(stateFolder, sweep, order, 'superseded');
}
