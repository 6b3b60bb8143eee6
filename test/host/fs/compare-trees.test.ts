import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { differingFiles } from '../../../src/host/fs/compare-trees.js';
import { newFolder } from '../temporary.js';

test('names files that are added, removed, changed, executable in only one tree, or symlinks with another target', async () => {
  const [a, b] = [await newFolder(), await newFolder()];
  for (const root of [a, b]) {
    await mkdir(join(root, 'bin'));
    for (const name of ['same', 'other', 'bin/tool']) await writeFile(join(root, name), 'text');
    await symlink(root === a ? 'same' : 'other', join(root, 'link'));
  }
  await writeFile(join(a, 'gone'), '');
  await writeFile(join(b, 'new'), '');
  // It has the same length: only the content differs.
  await writeFile(join(b, 'other'), 'texx');
  await chmod(join(b, 'bin/tool'), 0o755);
  expect(await differingFiles(a, b)).toEqual(['bin/tool', 'gone', 'link', 'new', 'other']);
  expect(await differingFiles(a, a)).toEqual([]);
});
