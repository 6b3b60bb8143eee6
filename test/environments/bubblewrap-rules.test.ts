import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Visibility, rulesFor } from '../../src/environments/bubblewrap-rules.js';
import type { EnvironmentHandle } from '../../src/environments/environment.js';
import { newFolder, setEnv } from '../host/temporary.js';

const put = (...parts: string[]): string => {
  const file = join(...parts);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
};

/** A HOME that contains state and project, and how an agent sees the paths below it. */
async function newHome() {
  const home = await newFolder();
  setEnv({ HOME: home, SSH_AUTH_SOCK: put(home, 'socket') });
  const root = join(home, 'state', 'work', 'run');
  mkdirSync(root, { recursive: true });
  put(home, 'project', 'scenarios', 'a.yaml');
  const handle: EnvironmentHandle = {
    type: 'bubblewrap',
    root,
    workspace: join(root, 'fixture'),
    journal: join(root, 'agent'),
    mark: 'run',
    project: join(home, 'project'),
    hidden: ['state', 'project/scenarios', 'project/missing'].map((name) => join(home, name)),
  };
  const looks = async (argv: string[], path: string[] = []): Promise<Record<string, Visibility>> => {
    const rules = await rulesFor(handle, { argv, env: { PATH: path.join(':') } });
    const below = rules.filter((rule) => rule.path.startsWith(home));
    return Object.fromEntries(below.map((rule) => [rule.path.slice(home.length + 1), rule.look]));
  };
  return { home, looks };
}

const ALWAYS = {
  '': 'empty',
  state: 'empty',
  project: 'empty',
  'project/scenarios': 'empty',
  socket: 'masked',
  'state/work/run/fixture': 'writable',
  'state/work/run/home': 'writable',
  'state/work/run/config': 'writable',
  'state/work/run/tmp': 'writable',
  'state/work/run/bin': 'readable',
};

it('hides HOME, sockets, state and project, and shows the folders of the run', async () => {
  const { looks } = await newHome();
  expect(await looks([])).toEqual(ALWAYS);
});

it('hides all home folders, sockets of daemons and temporary files', async () => {
  const { home } = await newHome();
  const handle = {
    type: 'bubblewrap' as const,
    root: home,
    workspace: join(home, 'fixture'),
    journal: join(home, 'agent'),
    mark: 'run',
    hidden: [],
    project: null,
  };
  const rules = await rulesFor(handle, { argv: [], env: {} });
  for (const [path, look] of [
    ...['/home', '/root', '/run'].map((path) => [path, 'empty'] as const),
    ...['/tmp', '/var/tmp'].map((path) => [path, 'scratch'] as const),
  ].filter(([path]) => existsSync(path)))
    expect(rules).toContainEqual({ path: realpathSync(path), look });
});

const shown = async (argv: (home: string) => string[], path: (home: string) => string[] = () => []) => {
  const { home, looks } = await newHome();
  const all = await looks(argv(home), path(home));
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in ALWAYS)));
};

it('shows the whole node_modules folder that contains a Node package', async () => {
  const argv = (home: string) => [put(home, 'lib', 'node_modules', 'a', 'node_modules', 'b', 'cli.js')];
  expect(await shown(argv)).toEqual({ 'lib/node_modules': 'readable' });
});

it('shows the whole package of a program, and only the file of a program without one', async () => {
  expect(
    await shown((home) => {
      put(home, 'tools', 'package.json');
      return [put(home, 'tools', 'dist', 'cli.js'), put(home, 'other', 'cli.js')];
    }),
  ).toEqual({ tools: 'readable', 'other/cli.js': 'readable' });
});

it('does not show HOME or a folder of scenarios because of a package.json in it', async () => {
  expect(
    await shown((home) => {
      put(home, 'package.json');
      put(home, 'project', 'scenarios', 'package.json');
      return [put(home, 'cli.js'), put(home, 'project', 'scenarios', 'cli.js')];
    }),
  ).toEqual({ 'cli.js': 'readable', 'project/scenarios/cli.js': 'readable' });
});

it('shows the project if it is itself the package of a program', async () => {
  const { home, looks } = await newHome();
  put(home, 'project', 'package.json');
  expect(await looks([put(home, 'project', 'dist', 'cli.js')])).toEqual({ ...ALWAYS, project: 'readable' });
});

it('shows the parent of a bin folder on PATH, but only the bin folder if the parent holds logins and state', async () => {
  const folders = ['.nvm/v20/bin', '.pyenv/shims', 'plain', '.local/bin', '.cargo/bin', 'bin', 'project/bin'];
  expect(
    await shown(
      () => [],
      (home) => folders.map((folder) => dirname(put(home, folder, 'program'))),
    ),
  ).toEqual({
    '.nvm/v20': 'readable',
    '.pyenv': 'readable',
    plain: 'readable',
    '.local/bin': 'readable',
    '.cargo/bin': 'readable',
    bin: 'readable',
    'project/bin': 'readable',
  });
});

it('follows the symlinks in a folder on PATH', async () => {
  expect(
    await shown(
      () => [],
      (home) => {
        put(home, '.local', 'bin', 'x');
        symlinkSync(put(home, 'vendor', 'v1'), join(home, '.local', 'bin', 'vendor'));
        symlinkSync(join(home, 'nowhere'), join(home, '.local', 'bin', 'dangling'));
        return [join(home, '.local', 'bin')];
      },
    ),
  ).toEqual({ '.local/bin': 'readable', 'vendor/v1': 'readable' });
});
