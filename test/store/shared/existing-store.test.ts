import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreAway } from '../../../src/lib/errors/usage-error.js';
import { existingStore } from '../../../src/store/shared/existing-store.js';
import { PROJECT } from '../../../src/store/shared/names.js';
import type { SharedStore } from '../../../src/store/shared/shared-store.js';
import { newFolder } from '../../host/temporary.js';
import { joinAs } from './join-as.js';

describe('a shared folder that is not mounted', () => {
  let location: string;
  let store: SharedStore;
  let local: string;
  beforeEach(async () => {
    location = join(await newFolder(), 'shared');
    local = await newFolder();
    ({ store } = await joinAs(await newFolder(), location));
    await store.put('a', '1');
    await rename(location, `${location}.away`);
    await mkdir(location);
  });

  const attempts: [string, (store: SharedStore) => Promise<unknown>][] = [
    ['get', (store) => store.get('a')],
    ['list', (store) => store.list('.shared/hosts')],
    ['getFolder', (store) => store.getFolder('run', join(local, 'copy'))],
    ['getFileOf', (store) => store.getFileOf('run', 'file')],
    ['put', (store) => store.put('a', '2')],
    ['putOnce', (store) => store.putOnce('b', '1')],
    ['putFolder', (store) => store.putFolder('run', local)],
    ['remove', (store) => store.remove('a')],
  ];
  it.each(attempts)('is not taken for an empty one by %s', async (_name, attempt) => {
    await expect(attempt(store)).rejects.toThrow(/has no \.shared\/project\.json: is the folder mounted\?/);
    await expect(attempt(store)).rejects.toBeInstanceOf(StoreAway);
    expect(await readdir(location)).toEqual([]);
  });

  it.each([
    ['an error of the file server', { code: 'ESTALE', path: '/shared/a' }, true],
    ['an error of its connection', { code: 'ENOTCONN' }, true],
    ['an error of a local file', { code: 'ENOENT', path: '/local/a', dest: '/local/b' }, false],
    ['another error', {}, false],
  ])('is known from %s: %o', async (_name, about, isAway) => {
    const error = Object.assign(new Error('failed'), about);
    const broken = existingStore({ ...store, location: '/shared', get: () => Promise.reject(error) }, 'id');
    const thrown: unknown = await broken.get('a').catch((caught: unknown) => caught);
    expect(thrown instanceof StoreAway).toBe(isAway);
    if (!isAway) expect(thrown).toBe(error);
  });

  it('is used again once it is back', async () => {
    await rmdir(location);
    await rename(`${location}.away`, location);
    expect((await store.get('a'))?.toString()).toBe('1');
    expect(await store.get('b')).toBeNull();
    expect(await store.putOnce('b', '1')).toBe(true);
  });

  it('is not written to if it contains another project', async () => {
    await joinAs(await newFolder(), location);
    await expect(store.put('a', '2')).rejects.toThrow(/results of another project/);
  });
});

describe('a shared place of another build', () => {
  it.each([1, 3])('with schema_version %i is refused with a message that says so', async (version) => {
    const location = join(await newFolder(), 'shared');
    const { store } = await joinAs(await newFolder(), location);
    const project = JSON.parse(String(await store.get(PROJECT))) as object;
    await store.put(PROJECT, JSON.stringify({ ...project, schema_version: version }));
    await expect(joinAs(await newFolder(), location)).rejects.toThrow(
      new RegExp(`project\\.json has schema_version ${version}, and this build reads 2`),
    );
  });
});
