import { mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { workspaceChanges } from '../../src/environments/workspace-changes.js';
import { newFolder } from '../host/temporary.js';

let fixture: string;
let workspace: string;

beforeEach(async () => {
  fixture = await newFolder();
  workspace = await newFolder();
});

async function write(root: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

test('names what was added, changed and removed, with the beginnings of text files', async () => {
  await write(fixture, { 'same.txt': 'same', 'other.txt': 'before', 'gone/a.txt': 'x' });
  await write(workspace, { 'same.txt': 'same', 'other.txt': 'after!', 'new/b.txt': 'é'.repeat(10_000) });
  const { changed, more } = await workspaceChanges(workspace, fixture, {});
  expect(changed).toEqual([
    { path: 'other.txt', change: 'changed', bytes: 6, start: 'after!' },
    { path: 'new/b.txt', change: 'added', bytes: 20_000, start: 'é'.repeat(8192) },
    { path: 'gone/a.txt', change: 'removed', bytes: null, start: null },
  ]);
  expect(more).toBe(0);
});

test('compares a workspace with initial-state/ at its root and the setup files, not with the whole fixture', async () => {
  await write(fixture, {
    'a.txt': 'fixture',
    'initial-state/a.txt': 'initial',
    'initial-state/d/b.txt': 'b',
  });
  const setup = { 'd/b.txt': 'setup', 'c.txt': 'c' };
  await write(workspace, { 'a.txt': 'initial', ...setup });
  const before = await workspaceChanges(workspace, fixture, setup);
  expect([before.changed, before.unchanged]).toEqual([[], ['c.txt', 'd/b.txt']]);
  await write(workspace, { 'a.txt': 'fixture', 'c.txt': 'C' });
  const { changed, unchanged } = await workspaceChanges(workspace, fixture, setup);
  expect(changed.map(({ path }) => path)).toEqual(['a.txt', 'c.txt']);
  expect(unchanged).toEqual(['d/b.txt']);
});

test('shows no content of binary files, files that are not UTF-8, and symlinks', async () => {
  await write(workspace, { 'b.bin': Buffer.from([1, 0, 2]), 'latin.txt': Buffer.from([0xe9, 0x20, 0x20]) });
  await symlink('/etc/hostname', join(workspace, 'link'));
  const { changed } = await workspaceChanges(workspace, fixture, {});
  expect(changed).toEqual([
    { path: 'b.bin', change: 'added', bytes: 3, start: null },
    { path: 'latin.txt', change: 'added', bytes: 3, start: null },
    { path: 'link', change: 'added', bytes: null, start: null },
  ]);
});

test('ignores folders that tools write for themselves', async () => {
  await write(fixture, { 'node_modules/x/index.js': 'x' });
  await write(workspace, { '.git/HEAD': 'ref', 'sub/node_modules/y.js': 'y', 'sub/z.js': 'z' });
  const { changed } = await workspaceChanges(workspace, fixture, {});
  expect(changed.map(({ path }) => path)).toEqual(['sub/z.js']);
});

test('names the first of very many changes and counts the others', async () => {
  const names = Array.from({ length: 230 }, (_, at) => `f${String(at).padStart(3, '0')}`);
  await write(workspace, Object.fromEntries(names.map((name) => [name, 'x'])));
  const { changed, more } = await workspaceChanges(workspace, fixture, {});
  expect(changed.map(({ path }) => path)).toEqual(names.slice(0, 200));
  expect(more).toBe(30);
  expect(changed.filter(({ start }) => start !== null)).toHaveLength(50);
});

test('tells huge files of the same size apart by their times', async () => {
  const size = 9 * 1024 * 1024;
  for (const root of [fixture, workspace]) {
    for (const name of ['old', 'new']) {
      await writeFile(join(root, name), '');
      await truncate(join(root, name), size);
      await utimes(join(root, name), 1, root === workspace && name === 'new' ? 2 : 1);
    }
  }
  const { changed } = await workspaceChanges(workspace, fixture, {});
  expect(changed.map(({ path }) => path)).toEqual(['new']);
});
