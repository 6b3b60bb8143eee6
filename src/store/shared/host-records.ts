import { parseJson } from '../../lib/json.js';
import { HostRecord } from '../../results/records/host-record.js';
import { hostObject, HOSTS } from './names.js';
import type { SharedStore } from './shared-store.js';

/** Returns what a host said last; null if it has no record, or is writing it at this moment. */
export async function readHost(store: SharedStore, id: string): Promise<HostRecord | null> {
  const text = await store.get(hostObject(id));
  const parsed = HostRecord.safeParse(text === null ? null : parseJson(text.toString()));
  return parsed.success ? parsed.data : null;
}

/** Returns what every host of a shared project said last. */
export async function readHosts(store: SharedStore): Promise<HostRecord[]> {
  const names = (await store.list(HOSTS)).filter((name) => name.endsWith('.json'));
  const records = await Promise.all(names.map((name) => readHost(store, name.slice(0, -'.json'.length))));
  return records.flatMap((record) => record ?? []);
}
