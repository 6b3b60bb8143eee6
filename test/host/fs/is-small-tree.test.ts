import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isSmallTree } from '../../../src/host/fs/tree.js';
import { newFolder } from '../temporary.js';

let folder: string;
beforeEach(async () => {
  folder = await newFolder();
});

test('a few small files are small, and so is a missing folder', async () => {
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in', 'it'), 'x');
  expect(isSmallTree(folder)).toBe(true);
  expect(isSmallTree(join(folder, 'missing'))).toBe(true);
});

test('many entries are not small, however deep', async () => {
  await mkdir(join(folder, Array(201).fill('d').join('/')), { recursive: true });
  expect(isSmallTree(folder)).toBe(false);
});

test('many bytes are not small', async () => {
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in', 'large'), '');
  await truncate(join(folder, 'in', 'large'), 5 * 1024 * 1024);
  expect(isSmallTree(folder)).toBe(false);
});
