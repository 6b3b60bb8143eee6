import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '#lib';
import { readTextIfThere } from '../fs/read-file.js';
import { writeOnce, writeNote } from '../fs/write-file.js';

/**
 * Records which execution used a proof: otherwise, anyone who can read a history could start the same workflow again.
 * Each order of a sweep has a note for the sweep and one for each run, and `closed` when nothing more may start by it.
 */
export interface Ledger {
  /** Returns a note; null if there is none. */
  read: (note: Note) => Promise<string | null>;
  /** Writes a note, unless there is one. */
  writeOnce: (note: Note, text: string) => Promise<void>;
  /** Writes a note, and replaces an earlier one. */
  write: (note: Note, text: string) => Promise<void>;
  /** Returns the orders of a sweep, among them `known`. */
  orders: (sweep: string, known: string) => Promise<string[]>;
}

export interface Note {
  sweep: string;
  order: string;
  name: string;
}

/** The notes of a sweep in the private state of an engine. */
export const ledgerFolder = (stateFolder: string, sweep: string): string => join(stateFolder, 'origin', sweep);

/** The ledger in the private state of an engine. */
export function localLedger(stateFolder: string): Ledger {
  const fileOf = ({ sweep, order, name }: Note): string => join(ledgerFolder(stateFolder, sweep), order, name);
  return {
    read: (note) => readTextIfThere(fileOf(note)),
    // eslint-disable-next-line @typescript-eslint/require-await -- a shared ledger takes longer
    writeOnce: async (note, text) => writeOnce(fileOf(note), text),
    // eslint-disable-next-line @typescript-eslint/require-await -- a shared ledger takes longer
    write: async (note, text) => writeNote(fileOf(note), text),
    // eslint-disable-next-line @typescript-eslint/require-await -- a shared ledger takes longer
    orders: async (sweep) => {
      const folder = ledgerFolder(stateFolder, sweep);
      return existsSync(folder) ? readdirSync(folder) : [];
    },
  };
}

/** The note that records the use of a proof, by the id of the workflow that it is for. */
export const claimOf = (sweep: string, order: string, workflowId: string): Note => ({
  sweep,
  order,
  name: sha256(workflowId).slice(0, 16),
});

/** Returns the execution that uses a proof, which is the first that claimed it. */
export async function claim(ledger: Ledger, note: Note, execution: string): Promise<string> {
  await ledger.writeOnce(note, execution);
  const claimed = await ledger.read(note);
  if (claimed !== null && claimed !== '') return claimed;
  // Written before a power failure, and therefore empty. Nobody but us can have created it.
  await ledger.write(note, execution);
  return execution;
}

/** `finished`: the sweep has ended. `superseded`: the sweep was started again. */
type Closed = 'finished' | 'superseded';

/** Closes an order: nothing more may start by it. What has started may finish. */
export const closeOrder = (ledger: Ledger, sweep: string, order: string, why: Closed): Promise<void> =>
  ledger.writeOnce({ sweep, order, name: 'closed' }, why);

export async function closedReason(ledger: Ledger, sweep: string, order: string): Promise<Closed | null> {
  const text = await ledger.read({ sweep, order, name: 'closed' });
  return text === null ? null : text === 'superseded' ? text : 'finished';
}

/** Closes all other orders of a sweep, when `by` has replaced them. */
export async function supersede(ledger: Ledger, sweep: string, by: string): Promise<void> {
  for (const order of await ledger.orders(sweep, by))
    if (order !== by) await closeOrder(ledger, sweep, order, 'superseded');
}
