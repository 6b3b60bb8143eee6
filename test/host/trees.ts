import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './temporary.js';

/** Legal names that careless code trips over. */
export const ODD_NAMES = [
  'new\nline',
  'it\'s "quoted"',
  'é😀',
  'e\u0301',
  '-rf',
  ' blank ',
  'back\\slash',
  '$HOME',
  '*',
  '...',
  '#',
  '%41',
];

/** A tree with one entry of each allowed kind. */
export async function sample(): Promise<string> {
  const root = await newFolder();
  mkdirSync(join(root, 'folder', 'empty'), { recursive: true });
  writeFileSync(join(root, 'file'), 'content');
  writeFileSync(join(root, 'folder', 'script'), '#!/bin/sh\n', { mode: 0o755 });
  symlinkSync('folder/script', join(root, 'link'));
  symlinkSync('../file', join(root, 'folder', 'up'));
  symlinkSync('nowhere', join(root, 'dangling'));
  return root;
}

/** Everything below a folder as text for comparisons: names, kinds, modes, contents, targets. */
export function picture(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const info = lstatSync(join(root, path));
      if (info.isSymbolicLink()) return `${path} -> ${readlinkSync(join(root, path))}`;
      if (info.isDirectory()) return `${path}/`;
      return `${path} ${(info.mode & 0o777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`;
    });
}
