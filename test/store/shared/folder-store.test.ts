import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createFolderStore } from '../../../src/store/shared/folder-store.js';
import { newFolder } from '../../host/temporary.js';
import { storeContract } from './contract.js';

describe('a shared folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'shared-folder-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'not', 'there', 'yet');
  // eslint-disable-next-line @typescript-eslint/require-await -- other stores are opened asynchronously
  storeContract(async () => createFolderStore(folder));
});

test('lets the group of a folder take part if it may write to the folder, and nobody else', async () => {
  const folder = join(await newFolder(), 'shared');
  const modes = async (name: string): Promise<string> => {
    return ((await lstat(join(folder, name))).mode & 0o777).toString(8);
  };
  await mkdir(folder);
  await chmod(folder, 0o755);
  await createFolderStore(folder).put('.shared/key', 'own');
  await createFolderStore(folder).put('sweeps/one/plan.json', 'own');
  expect(await Promise.all(['.shared', '.shared/key', 'sweeps/one/plan.json'].map(modes))).toEqual([
    '700',
    '600',
    '644',
  ]);
  await chmod(folder, 0o2770);
  await createFolderStore(folder).put('.shared/hosts/a.json', 'team');
  await createFolderStore(folder).put('sweeps/two/plan.json', 'team');
  expect(
    await Promise.all(['.shared/hosts', '.shared/hosts/a.json', 'sweeps/two', 'sweeps/two/plan.json'].map(modes)),
  ).toEqual(['770', '660', '775', '664']);
  expect(await readdir(join(folder, '.shared', 'hosts'))).toEqual(['a.json']);
});

test('does not show what a killed writer has left, nor what NFS keeps of removed files', async () => {
  const folder = await newFolder();
  const store = createFolderStore(folder);
  await store.put('objects/a', 'a');
  await writeFile(join(folder, 'objects', 'b.17-0123abcd.tmp'), 'half');
  await writeFile(join(folder, 'objects', '.nfs0001'), 'removed');
  expect(await store.list('objects')).toEqual(['a']);
});

test('does not find a folder whose copy was interrupted', async () => {
  const folder = await newFolder();
  await mkdir(join(folder, 'run-1.17-0123abcd.tmp', 'artifacts'), { recursive: true });
  const store = createFolderStore(folder);
  expect(await store.getFolder('run-1', join(await newFolder(), 'copy'))).toBe(false);
});
