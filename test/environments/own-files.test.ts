import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SymlinkInTheWay, writeOwnFiles } from '../../src/environments/own-files.js';
import { newFolder } from '../host/temporary.js';

it('writes files below the root of the run', async () => {
  const root = join(await newFolder(), 'run');
  const path = join(root, 'config', 'settings.json');
  await writeOwnFiles(root, [{ path, content: '{}' }]);
  expect(readFileSync(path, 'utf8')).toBe('{}');
});

it('writes nothing through a symlink that the agent has left, and names it', async () => {
  const folder = await newFolder();
  const [root, outside] = [join(folder, 'run'), join(folder, 'outside')];
  mkdirSync(root);
  mkdirSync(outside);
  symlinkSync(outside, join(root, 'config'));
  const writing = writeOwnFiles(root, [{ path: join(root, 'config', 'settings.json'), content: '{}' }]);
  await expect(writing).rejects.toThrow(SymlinkInTheWay);
  await expect(writing).rejects.toThrow('a symlink created by the agent blocks its settings: config');
  expect(readdirSync(outside)).toEqual([]);
});
