import type { Ledger, Note } from '../../platform/origin-ledger.js';
import type { SharedStore } from './shared-store.js';

const ENTRY = '.order';

/** The ledger of a team: a proof that was used on one host is used on all. */
export function sharedLedger(store: SharedStore): Ledger {
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
