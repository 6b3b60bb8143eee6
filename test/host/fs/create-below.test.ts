import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBelow } from '../../../src/host/fs/open-inside.js';
import { newFolder } from '../temporary.js';

test('creates the missing folders below one that exists, again without an error', async () => {
  const base = await newFolder();
  for (let times = 1; times <= 2; times++) createBelow(base, join(base, 'a/b/c'));
  expect(existsSync(join(base, 'a/b/c'))).toBe(true);
  createBelow(base, base);
});

test('creates nothing if the folder above was moved away, so that it can be put back', async () => {
  const base = join(await newFolder(), 'results');
  expect(() => createBelow(base, join(base, 'run/artifacts'))).toThrow(/ENOENT/);
  expect(() => createBelow(base, join(base, 'run'))).toThrow(/ENOENT/);
  expect(existsSync(base)).toBe(false);
  const away = await newFolder();
  renameSync(away, base);
  createBelow(base, join(base, 'run/artifacts'));
});
