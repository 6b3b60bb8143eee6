import { appendFile, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { whyPointsBack } from '../../../src/platform/fs/pointers-back.js';
import { listTree } from '../../../src/platform/fs/tree.js';
import { newFolder } from '../temporary.js';

const git = (cwd: string, ...args: string[]) =>
  execa(
    'git',
    ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', ...args],
    { cwd },
  );

/** A folder with a repository `repo`, that has one commit. */
async function place(): Promise<string> {
  const root = await newFolder();
  await mkdir(join(root, 'repo'));
  await writeFile(join(root, 'repo/a.txt'), 'a\n');
  await git(join(root, 'repo'), 'init', '-q', '-b', 'main');
  await git(join(root, 'repo'), 'add', '.');
  await git(join(root, 'repo'), 'commit', '-qm', 'base');
  return root;
}
const why = async (folder: string): Promise<string> => whyPointsBack(folder, await listTree(folder)) ?? '';

test.each<[string, (root: string) => Promise<unknown>, RegExp]>([
  [
    'a worktree',
    (root) => git(join(root, 'repo'), 'worktree', 'add', '-q', '../fx', '-b', 'other'),
    /fx\/\.git: points to the repository of a worktree or submodule; .*git init/,
  ],
  [
    'a submodule',
    async (root) => {
      await mkdir(join(root, 'above'));
      await git(join(root, 'above'), 'init', '-q');
      await git(join(root, 'above'), 'submodule', '--quiet', 'add', join(root, 'repo'), 'fx');
      await rename(join(root, 'above/fx'), join(root, 'fx'));
    },
    /fx\/\.git: points to/,
  ],
  [
    'a separate git dir',
    (root) => git(root, 'clone', '-q', '--separate-git-dir', 'g', 'repo', 'fx'),
    /fx\/\.git: points to/,
  ],
  [
    'a shared clone',
    async (root) => {
      await git(root, 'clone', '-q', '--shared', 'repo', 'fx');
      await git(join(root, 'fx'), 'remote', 'remove', 'origin');
    },
    /fx\/\.git\/objects\/info\/alternates: borrows objects/,
  ],
  [
    'a clone whose remote is a path',
    (root) => git(root, 'clone', '-q', 'repo', 'fx'),
    /fx\/\.git\/config: remote\.origin\.url leads out .*git remote remove origin/,
  ],
  [
    'a clone whose remote is a file address',
    async (root) => git(root, 'clone', '-q', `file://${root}/repo`, 'fx'),
    /remote\.origin\.url leads out/,
  ],
  [
    'core.worktree',
    async (root) => {
      await cp(join(root, 'repo'), join(root, 'fx'), { recursive: true });
      await git(join(root, 'fx'), 'config', 'core.worktree', join(root, 'repo'));
    },
    /fx\/\.git\/config: core\.worktree leads out .*--unset/,
  ],
  [
    'the repository of a worktree',
    async (root) => {
      await git(join(root, 'repo'), 'worktree', 'add', '-q', '../tree', '-b', 'other');
      await cp(join(root, 'repo'), join(root, 'fx'), { recursive: true });
    },
    /fx\/\.git\/worktrees\/tree\/gitdir: names a worktree elsewhere/,
  ],
  [
    'an included config',
    async (root) => {
      await cp(join(root, 'repo'), join(root, 'fx'), { recursive: true });
      await appendFile(join(root, 'fx/.git/config'), '[Include]\n\tpath = ~/.gitconfig\n');
    },
    /include\.path leads out/,
  ],
  [
    'a repository deeper down',
    async (root) => {
      await mkdir(join(root, 'fx/deep'), { recursive: true });
      await git(join(root, 'repo'), 'worktree', 'add', '-q', '../fx/deep/tree', '-b', 'other');
    },
    /fx\/deep\/tree\/\.git: points to/,
  ],
])('a copy of %s would point back', async (_, make, message) => {
  const root = await place();
  await make(root);
  expect(await why(join(root, 'fx'))).toMatch(message);
});

test('a repository of its own, with addresses, submodules and worktrees inside, points nowhere else', async () => {
  const root = await place();
  const fx = join(root, 'fx');
  await git(root, 'clone', '-q', '--no-hardlinks', 'repo', 'fx');
  await git(fx, 'remote', 'set-url', 'origin', 'git@example.com:a/b.git');
  await git(fx, 'remote', 'add', 'web', 'https://example.com/a/b.git');
  await git(fx, 'submodule', '--quiet', 'add', join(root, 'repo'), 'sub');
  await git(join(fx, 'sub'), 'remote', 'set-url', 'origin', 'ssh://example.com/a');
  expect(await why(fx)).toBe('');
  await rm(join(fx, '.git'), { recursive: true });
  await rm(join(fx, 'sub'), { recursive: true });
  await writeFile(join(fx, 'config'), '[core]\nworktree = /x\n'); // of no repository
  expect(await why(fx)).toBe('');
});
