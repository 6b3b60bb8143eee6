import { randomUUID } from 'node:crypto';
import { parseJson } from '#lib';
import { HostRecord } from '#model';
import { hostObject, HOSTS } from './names.js';
import type { SharedStore } from './shared-store.js';

/** Returns the newest record of a host; null if it has none, or is writing it at this moment. */
export async function readHost(store: SharedStore, id: string): Promise<HostRecord | null> {
  const text = await store.get(hostObject(id));
  const parsed = HostRecord.safeParse(text === null ? null : parseJson(text.toString()));
  return parsed.success ? parsed.data : null;
}

/** A host without a new record for this long no longer counts. */
const GONE_MS = 24 * 3_600_000;

/** A host, and the age of its record. */
export interface SeenHost extends HostRecord {
  silent_ms: number;
}

/** Returns the newest record of every host of a shared project. */
export const readHosts = async (store: SharedStore): Promise<SeenHost[]> =>
  (await readAll(store)).filter(({ silent_ms }) => silent_ms <= GONE_MS);

/** Removes the records of hosts that are gone. */
export async function removeGoneHosts(store: SharedStore): Promise<void> {
  const gone = (await readAll(store)).filter(({ silent_ms }) => silent_ms > GONE_MS);
  await Promise.all(gone.map(({ id }) => store.remove(hostObject(id))));
}

async function readAll(store: SharedStore): Promise<SeenHost[]> {
  const names = (await store.list(HOSTS)).filter((name) => name.endsWith('.json'));
  if (names.length === 0) return [];
  const now = await timeNow(store);
  const records = await Promise.all(
    names.map(async (name): Promise<SeenHost | null> => {
      const id = name.slice(0, -'.json'.length);
      const [record, at] = await Promise.all([readHost(store, id), store.writtenAt(hostObject(id))]);
      return record === null || at === null ? null : { ...record, silent_ms: Math.max(0, now - at) };
    }),
  );
  return records.flatMap((record) => record ?? []);
}

/** The time by the clock of the file server or bucket: clocks of hosts may be wrong by hours. */
async function timeNow(store: SharedStore): Promise<number> {
  const probe = `${HOSTS}/${randomUUID()}.time`;
  await store.put(probe, '');
  const now = await store.writtenAt(probe);
  await store.remove(probe);
  return now ?? Date.now();
}
