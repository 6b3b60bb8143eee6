import { mkdtempSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { showSigns } from '../../../src/activities/hosts/show-signs.js';
import { createOffers, type Host, hostRecord } from '../../../src/activities/hosts/host.js';
import { createSlots } from '../../../src/activities/hosts/slots.js';
import { drainObject, hostObject } from '../../../src/store/shared/names.js';
import { openSharedStore } from '../../../src/store/shared/shared-project.js';

async function shownOnce({ hasRuns }: { hasRuns: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'signs-'));
  const store = await openSharedStore(folder);
  const host = {
    id: 'aaaaaaaa',
    name: 'a',
    labels: [],
    agents: null,
    isDraining: () => true,
    slots: createSlots(folder, 1),
    offers: createOffers(),
  } as unknown as Host;
  await store.put(hostObject('bbbbbbbb'), JSON.stringify({ ...hostRecord(host, 1), id: 'bbbbbbbb' }));
  utimesSync(join(folder, hostObject('bbbbbbbb')), 0, 0);
  await store.put(drainObject(host.id), '');
  const ending = new AbortController();
  await showSigns(
    {
      store,
      host,
      everyMs: 1,
      onDrain: () => undefined,
      onShown: () => ending.abort(),
      hasRuns: () => Promise.resolve(hasRuns),
      reachesServer: () => Promise.resolve(true),
      warn: (line) => {
        throw new Error(line);
      },
    },
    ending.signal,
  );
  const isThere = async (name: string) => (await store.get(name)) !== null;
  return {
    record: await isThere(hostObject(host.id)),
    drain: await isThere(drainObject(host.id)),
    gone: await isThere(hostObject('bbbbbbbb')),
  };
}

test('a host that ends leaves its record only if it has runs, keeps its order to drain, and removes hosts long gone', async () => {
  expect(await shownOnce({ hasRuns: true })).toEqual({ record: true, drain: true, gone: false });
  expect(await shownOnce({ hasRuns: false })).toEqual({ record: false, drain: true, gone: false });
});
