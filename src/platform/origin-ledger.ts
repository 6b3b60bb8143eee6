import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextIfThere } from './fs/read-file.js';
import { writeOnce, writeNote } from './fs/write-file.js';
import { sha256 } from '../lib/hash.js';

/*
 * Records which execution used a proof: otherwise, anyone who can read a history could start the same workflow again.
 * `<state>/origin/<sweep>` has a folder for each order. It contains a note for the sweep and one for each run, and
 * `closed` when nothing more may start by the order.
 */
export const ledgerFolder = (stateFolder: string, sweep: string): string =>
  join(stateFolder, 'origin', sweep);

const orderFolder = (stateFolder: string, sweep: string, order: string): string =>
  join(ledgerFolder(stateFolder, sweep), order);

/** Returns the file that records the use of a proof, by the id of the workflow that it is for. */
export const claimFile = (stateFolder: string, sweep: string, order: string, workflowId: string): string =>
  join(orderFolder(stateFolder, sweep, order), sha256(workflowId).slice(0, 16));

/** Returns the execution that uses a proof, which is the first that claimed it. */
export async function claim(file: string, execution: string): Promise<string> {
  writeOnce(file, execution);
  const claimed = await readTextIfThere(file);
  if (claimed !== null && claimed !== '') return claimed;
  // Written before a power failure, and therefore empty. Nobody but us can have created it.
  writeNote(file, execution);
  return execution;
}

/** `finished`: the sweep has ended. `superseded`: the sweep was started again. */
type Closed = 'finished' | 'superseded';

/** Closes an order: nothing more may start by it. What has started may finish. */
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

/** Closes all other orders of a sweep, when `by` has replaced them. */
export function supersede(stateFolder: string, sweep: string, by: string): void {
  const folder = ledgerFolder(stateFolder, sweep);
  const others = existsSync(folder) ? readdirSync(folder) : [];
  for (const order of others) if (order !== by) closeOrder(stateFolder, sweep, order, 'superseded');
}
