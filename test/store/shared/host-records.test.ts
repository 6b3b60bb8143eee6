import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderHosts } from '../../../src/reports/lists/hosts.js';
import { createFolderStore } from '../../../src/store/shared/folder-store.js';
import { readHosts, removeGoneHosts } from '../../../src/store/shared/host-records.js';
import { hostObject, HOSTS } from '../../../src/store/shared/names.js';
import { newFolder } from '../../host/temporary.js';
import { hostRecord } from './host-record.js';

const HOUR_MS = 3_600_000;

test('the clock of a host does not matter: the time of the place says for how long it has been silent', async () => {
  const folder = await newFolder();
  const store = createFolderStore(folder);
  const written = { ahead: 5 * 60, behind: 0, gone: 25 * 3600, silent: 120 };
  const clocks = { ahead: 5 * 60_000, behind: -48 * HOUR_MS, gone: 30 * HOUR_MS, silent: 0 };
  for (const [id, secs] of Object.entries(written)) {
    await store.put(hostObject(id), JSON.stringify(hostRecord(id, Date.now() + clocks[id as keyof typeof clocks])));
    const at = Date.now() / 1000 - secs;
    utimesSync(join(folder, hostObject(id)), at, at);
  }
  const hosts = await readHosts(store);
  const text = renderHosts(hosts, { color: false, width: 120 });
  const stateOf = (id: string): string => new RegExp(`^${id} .*(working|silent)`, 'm').exec(text)?.[1] ?? '';
  expect(['ahead', 'behind', 'silent'].map(stateOf)).toEqual(['silent', 'working', 'silent']);
  expect(hosts.map(({ id }) => id).sort()).toEqual(['ahead', 'behind', 'silent']);
  await removeGoneHosts(store);
  expect(await store.list(HOSTS)).toEqual(['ahead.json', 'behind.json', 'silent.json']);
});
