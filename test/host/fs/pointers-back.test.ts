import { appendFile, cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { pointerProblem } from '../../../src/host/fs/pointers-back.js';
import { listTree } from '../../../src/host/fs/tree.js';
import { newFolder } from '../temporary.js';

const git = (cwd: string, ...args: string[]) =>
  execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', ...args], {
    cwd,
  });

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
const why = async (folder: string): Promise<string> => pointerProblem(folder, await listTree(folder)) ?? '';

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
  await git(fx, 'submodule', '--quiet', 'set-url', 'sub', 'ssh://example.com/a');
  expect(await why(fx)).toBe('');
  await rm(join(fx, '.git'), { recursive: true });
  await rm(join(fx, 'sub'), { recursive: true });
  await writeFile(join(fx, 'config'), '[core]\nworktree = /x\n'); // of no repository
  expect(await why(fx)).toBe('');
});

/** The reason why a copy of a repository with this config would point back. */
async function pointerProblems(config: string, more: Record<string, string> = {}): Promise<string> {
  const root = await newFolder();
  const files = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/objects/keep': '',
    '.git/config': config,
    ...more,
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return why(root);
}

/** A section with a setting, whose value takes the place of `@`. */
const SETTINGS = [
  ...['[remote "a"]\nurl = @', '[remote "a"]\npushurl = @', '[submodule "s"]\nurl = @', '[branch "b"]\nremote = @'],
  ...['[url "@"]\ninsteadOf = https://example.com/', '[URL "@"]\n  pushInsteadOf=git@example.com:'],
  ...['[core]\nhooksPath = @', '[core] excludesFile = @', '[core]\nattributesfile = @', '[core]\nfsmonitor = @'],
  ...['[include]\npath = @', '[includeIf "gitdir:x/"]\npath = @', '[commit]\ntemplate = @', '[gpg]\nprogram = @'],
];
const COMMANDS = [
  ...['[core]\nsshCommand = ssh -i @', '[filter "x"]\nclean = sh @ %f', '[filter "x"]\nprocess = "@ --flag"'],
  ...['[diff "x"]\ntextconv = @', '[merge "x"]\ndriver = cat %A @', '[alias]\nup = "!cd @ && git pull"'],
  ...['[uploadpack]\npackObjectsHook = A=@ run', '[core]\neditor = "sh -c \'@\'"'],
];
const OUTSIDE = ['/home/me/repo', '~/repo', '../../elsewhere/x', 'a/../../../x', 'file:///home/me/repo'];

test.each([...SETTINGS, ...COMMANDS])(
  '%j is refused if it leads out of the folder, and not if it stays in it',
  async (setting) => {
    const isCommand = COMMANDS.includes(setting);
    for (const value of OUTSIDE)
      for (const text of [setting, setting.replace(/= (.*)$/s, '= \\\n $1 # comment')]) {
        const config = `[core]\n\tbare = false\n${text.replace('@', value)}\n`;
        expect([config, await pointerProblems(config)]).toEqual([
          config,
          expect.stringMatching(/\.git\/config: \S+ leads out of the folder \(.*\); (run git|remove the section)/s),
        ]);
      }
    for (const value of isCommand ? ['tools/x', './x'] : ['.githooks', 'tools/x'])
      expect(await pointerProblems(setting.replace('@', value))).toBe('');
  },
);

test.each([
  ['[credential]\nhelper = store', 'credential.helper'],
  ['[credential "https://example.com"]\nusername = me', 'credential.https://example.com.username'],
  [
    '[http "https://example.com/"]\nextraHeader = AUTHORIZATION: basic c2VjcmV0',
    'http.https://example.com/.extraheader',
  ],
])('%j is refused without being shown, because it gives the agent a login', async (config, key) => {
  expect(await pointerProblems(config)).toMatch(
    `config: ${key} gives the agent a login; run git config --unset-all ${key}`,
  );
  expect(await pointerProblems(config)).not.toContain('c2VjcmV0');
});

test('ordinary settings of a repository of its own are not refused', async () => {
  const config = `
[core]
\trepositoryformatversion = 0
\tfsmonitor = true
\tsshCommand = ssh -o UserKnownHostsFile=/dev/null ; comment with /a/path
[user]
\tname = A / B
[remote "origin"]
\turl = https://example.com/a/b.git # from /home/me
\tfetch = +refs/heads/*:refs/remotes/origin/*
[url "ssh://git@example.com/"]
\tinsteadOf = https://example.com/
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
\tdescription = see /etc/hosts
[filter "lfs"]
\tclean = git-lfs clean -- %f
[alias]
\tl = log --format=%h/%s
`;
  expect(await pointerProblems(config)).toBe('');
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'a config of one worktree',
    { '.git/config.worktree': '[core]\nworktree = /x\n' },
    /config\.worktree: core\.worktree/,
  ],
  [
    'the config of a submodule',
    {
      '.git/modules/a/HEAD': 'x',
      '.git/modules/a/objects/x': '',
      '.git/modules/a/config': '[remote "o"]\nurl = /x\n',
    },
    /modules\/a\/config: remote\.o\.url/,
  ],
  [
    'an address of .gitmodules',
    { '.gitmodules': '[submodule "a"]\npath = a\nurl = /home/me/a\n' },
    /\.gitmodules: submodule\.a\.url/,
  ],
  [
    'a remote in the old form',
    { '.git/remotes/origin': 'URL: /home/me/repo\nPull: refs/heads/main\n' },
    /remotes\/origin: names a repository elsewhere/,
  ],
  [
    'a branch in the old form',
    { '.git/branches/up': 'file:///home/me/repo#main\n' },
    /branches\/up: names a repository/,
  ],
  ['a path of Mercurial', { '.hg/hgrc': '[paths]\ndefault = /home/me/repo\n' }, /hgrc: paths\.default leads out/],
  ['a repository of Jujutsu', { '.jj/repo/store/git_target': '/home/me/repo/.git' }, /git_target: points to/],
])('%s is refused if it leads out of the folder', async (_, files, message) => {
  expect(await pointerProblems('', files)).toMatch(message);
  const inside = Object.entries(files).map(([path, text]) => [
    path,
    text.replace(/(file:\/\/)?\/(home\/me\/\w+(\/\.git)?|x\b)/, 'https://example.com/a'),
  ]);
  if (!Object.keys(files)[0]?.includes('git_target') && !JSON.stringify(files).includes('worktree = '))
    expect(await pointerProblems('', Object.fromEntries(inside) as Record<string, string>)).toBe('');
});

test('a hook that is a link out of the folder is refused', async () => {
  const root = await newFolder();
  await mkdir(join(root, '.git/hooks'), { recursive: true });
  await symlink('/home/me/repo/hooks/pre-commit', join(root, '.git/hooks/pre-commit'));
  await expect(listTree(root)).rejects.toThrow(/hooks\/pre-commit: symlink leaves the folder/);
});
