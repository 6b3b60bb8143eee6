import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskRemedy } from '../../../src/lib/errors/system-failure.js';
import { assertRecentSpace, assertSpace, diskError } from '../../../src/host/fs/disk-space.js';
import { newFolder } from '../temporary.js';
import { createMemory } from '../../../src/host/remembered.js';

test('leaves an empty file in a folder with room', async () => {
  const folder = await newFolder();
  assertSpace(folder);
  assertSpace(folder);
  expect(readdirSync(folder)).toEqual(['.write-test']);
  expect(statSync(join(folder, '.write-test')).size).toBe(0);
});

test('replaces the file of another user in a folder that both can write', async () => {
  const folder = await newFolder();
  assertSpace(folder);
  chmodSync(join(folder, '.write-test'), 0o400);
  chmodSync(folder, 0o777);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    expect(diskError(folder)).toBeNull();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test('does not touch the target of a symlink in place of that file', async () => {
  const folder = await newFolder();
  writeFileSync(join(folder, 'precious'), 'kept');
  symlinkSync('precious', join(folder, '.write-test'));
  expect(diskError(folder)).toMatchObject({ code: 'ELOOP', path: folder });
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('kept');
});

test('does not test a folder again that had as much room recently, but does so later', async () => {
  const folder = await newFolder();
  createMemory().during(() => {
    assertRecentSpace(folder, 0, 4096);
    rmSync(folder, { recursive: true });
    assertRecentSpace(folder, 60_000, 4096);
    expect(() => assertRecentSpace(folder, 60_000, 8192)).toThrow(/ENOENT/);
    expect(() => assertRecentSpace(folder, 0, 4096)).toThrow(/ENOENT/);
  });
});

test('names a folder that accepts no files in the error', async () => {
  const folder = join(await newFolder(), 'gone');
  expect(diskError(folder)).toMatchObject({ code: 'ENOENT', path: folder });
  // `sysfs` accepts no files from anybody.
  expect(diskError('/sys')).toMatchObject({ path: '/sys' });
});

test.each([
  [{ code: 'ENOSPC', syscall: 'write' }, /free some space/],
  [{ code: 'EDQUOT', syscall: 'write' }, /quota is used up/],
  [{ code: 'EROFS', syscall: 'open' }, /read-only/],
  [{ code: 'ENOENT', syscall: 'mkdir', path: '/x' }, /gone or read-only/],
  [{ code: 'EACCES', syscall: 'open', path: '/ours/x' }, /permission denied/],
])('gives advice for %o', (error, remedy) => {
  expect(diskRemedy(error, (path) => path.startsWith('/ours'))).toMatch(remedy);
});

test.each([
  { code: 'ENOSPC', syscall: 'watch' },
  { code: 'EACCES', syscall: 'open', path: '/theirs/x' },
  { code: 'ENOENT', syscall: 'open', path: '/theirs/x' },
  { code: 'EMFILE', syscall: 'open' },
])('gives no advice for %o, which is not a problem of the disk', (error) => {
  expect(diskRemedy(error, (path) => path.startsWith('/ours'))).toBeNull();
});
