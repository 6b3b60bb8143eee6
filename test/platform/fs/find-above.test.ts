import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAbove } from '../../../src/platform/fs/find-above.js';
import { newFolder } from '../temporary.js';

test('finds files and folders in the folder and in all above it, nearest first', async () => {
  const root = await newFolder();
  const below = join(root, 'a', 'b');
  await mkdir(join(below, '.agents', 'skills'), { recursive: true });
  await writeFile(join(root, 'a', 'named-by-the-test.md'), '');
  await writeFile(join(root, 'other.md'), '');
  expect(findAbove(below, ['named-by-the-test.md', '.agents/skills'])).toEqual([
    join(below, '.agents/skills'),
    join(root, 'a', 'named-by-the-test.md'),
  ]);
  expect(findAbove(join(below, 'gone'), ['named-by-the-test.md'])).toHaveLength(1);
  expect(findAbove(below, [])).toEqual([]);
});
