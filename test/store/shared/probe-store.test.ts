import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolderStore } from '../../../src/store/shared/folder-store.js';
import { probeStore } from '../../../src/store/shared/shared-project.js';
import { newFolder } from '../../host/temporary.js';

test('finds nothing wrong with a folder, and leaves no object in it', async () => {
  const store = createFolderStore(await newFolder());
  await probeStore(store);
  expect(await store.list('.shared/probe')).toEqual([]);
});

test('refuses a place where two writers can create the same object', async () => {
  const store = createFolderStore(await newFolder());
  const putOnce = async (name: string, data: string | Uint8Array): Promise<boolean> => {
    await store.put(name, data);
    return true;
  };
  await expect(probeStore({ ...store, putOnce })).rejects.toThrow(
    'cannot hold shared results: it lets several writers create the same object; use a server that honours `If-None-Match: *`',
  );
});

test('says that a file system has no hard links', async () => {
  const store = createFolderStore(await newFolder());
  const error = Object.assign(new Error('EPERM: operation not permitted, link'), {
    code: 'EPERM',
    syscall: 'link',
  });
  await expect(probeStore({ ...store, putOnce: () => Promise.reject(error) })).rejects.toThrow(
    'its file system has no hard links (EPERM); choose a folder on another file system',
  );
});

test('says that a place is not a folder', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  await expect(probeStore(createFolderStore(file))).rejects.toThrow(
    `cannot share results at ${file}: it is not a folder; choose another place`,
  );
});
