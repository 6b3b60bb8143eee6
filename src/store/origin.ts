import { type Ledger, localLedger, type Note, readOriginKey, remembered } from '#host';
import { createLruCache } from '#lib';
import { keepKey, sharedProjectOf } from './shared/shared-project.js';
import type { SharedStore } from './shared/shared-store.js';

/** Folders of an engine. */
export interface EngineFolders {
  resultsPath: string;
  stateFolder: string;
}

const keys = remembered(() => createLruCache<Buffer>(8));

/** Returns the key of an engine with which origin is proved. A command or worker reads it once. */
export const originKey = ({ resultsPath, stateFolder }: EngineFolders): Promise<Buffer> =>
  keys()(stateFolder, async () => {
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await keepKey(project);
    return readOriginKey(stateFolder);
  });

/** Returns the ledger in which the use of proofs is recorded. */
export async function ledgerOf({ resultsPath, stateFolder }: EngineFolders): Promise<Ledger> {
  const project = await sharedProjectOf(resultsPath);
  return project === null ? localLedger(stateFolder) : sharedLedger(project.store);
}

const ENTRY = '.order';

/** The ledger of a team: a proof that was used on one host is used on all. */
function sharedLedger(store: SharedStore): Ledger {
  const folderOf = (sweep: string): string => `.shared/ledger/${sweep}`;
  const objectOf = ({ sweep, order, name }: Note): string => `${folderOf(sweep)}/${order}/${name}`;
  return {
    read: async (note) => (await store.get(objectOf(note)))?.toString() ?? null,
    writeOnce: async (note, text) => {
      await store.putOnce(objectOf(note), text);
    },
    write: (note, text) => store.put(objectOf(note), text),
    async orders(sweep, known) {
      await store.putOnce(`${folderOf(sweep)}/${known}${ENTRY}`, '');
      const names = await store.list(folderOf(sweep));
      return names.flatMap((name) => (name.endsWith(ENTRY) ? [name.slice(0, -ENTRY.length)] : []));
    },
  };
}
