import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheHome, canonical, projectState, UnsafeFolder } from '../../src/host/folders.js';
import { compileSources } from './compiled.js';
import { newFolder, setEnv } from './temporary.js';

const compiled = await compileSources();

const NONE = {
  LLM_TOOL_TEST_HOME: undefined,
  LLM_TOOL_TEST_CACHE: undefined,
  XDG_STATE_HOME: undefined,
  XDG_CACHE_HOME: undefined,
};

describe('the folder in the temporary folder that replaces a read-only HOME', () => {
  const fallback = async (make: (folder: string) => void): Promise<() => string> => {
    const temporary = await newFolder();
    setEnv({ ...NONE, HOME: '/dev/null/none', TMPDIR: temporary });
    const folder = join(temporary, `llm-tool-test-${process.getuid?.() ?? 0}`);
    make(folder);
    return () => projectState('/results').folder;
  };

  const open = (folder: string): void => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  };
  const foreign = (folder: string): void => {
    mkdirSync(folder, 0o700);
    chownSync(folder, 65534, 65534);
  };

  it('is private to the user', async () => {
    const find = await fallback(() => undefined);
    expect(statSync(join(find(), '../..')).mode & 0o777).toBe(0o700);
    expect(find()).toContain('/state/');
  });

  it.each([
    ['is open to others', open, 'chmod 700'],
    ['is a symlink', (folder: string) => symlinkSync('/tmp', folder), 'is not a folder that belongs to you'],
    ...(process.getuid?.() === 0
      ? [['belongs to another user', foreign, 'is not a folder that belongs to you'] as const]
      : []),
  ] as const)('is refused if it %s', async (_, make, says) => {
    const find = await fallback(make);
    expect(find).toThrow(UnsafeFolder);
    expect(find).toThrow(says);
    expect(() => cacheHome()).toThrow(UnsafeFolder);
  });
});

describe('state and cache', () => {
  it('are in the standard places of the platform, private to the user', async () => {
    const home = await newFolder();
    setEnv({ ...NONE, HOME: home });
    expect(projectState('/results').folder).toBe(join(home, '.local/state/llm-tool-test', projectState('/results').id));
    expect(cacheHome()).toBe(join(home, '.cache/llm-tool-test'));
    expect(statSync(join(home, '.local/state/llm-tool-test')).mode & 0o777).toBe(0o700);
  });

  it('follow the XDG variables', async () => {
    const folder = await newFolder();
    setEnv({
      ...NONE,
      HOME: '/nowhere',
      XDG_STATE_HOME: join(folder, 's'),
      XDG_CACHE_HOME: join(folder, 'c'),
    });
    expect(projectState('/results').folder.startsWith(join(folder, 's', 'llm-tool-test/'))).toBe(true);
    expect(cacheHome()).toBe(join(folder, 'c', 'llm-tool-test'));
  });

  it.each(['', 'relative/path'])('ignore an XDG variable that is %j, as its specification demands', async (xdg) => {
    const home = await newFolder();
    setEnv({ ...NONE, HOME: home, XDG_CACHE_HOME: xdg });
    expect(cacheHome()).toBe(join(home, '.cache/llm-tool-test'));
    expect(existsSync('relative/path')).toBe(false);
  });

  it('follow our own variables, unless they are empty', async () => {
    const home = await newFolder();
    setEnv({ ...NONE, HOME: home, LLM_TOOL_TEST_HOME: join(home, 'mine'), LLM_TOOL_TEST_CACHE: 'relative' });
    expect(projectState('/results').folder.startsWith(join(home, 'mine/'))).toBe(true);
    expect(cacheHome()).toBe(join(process.cwd(), 'relative'));
    setEnv({ LLM_TOOL_TEST_CACHE: '' });
    expect(cacheHome()).toBe(join(home, '.cache/llm-tool-test'));
  });

  it.each([
    ['nobody', 65534],
    ['a user without an entry in the password file', 54321],
  ])('are in the temporary folder if HOME is not writable, and work there (%s)', async (_, uid) => {
    const [home, temporary] = [await newFolder(), await newFolder()];
    await chmod(home, 0o555);
    await chmod(temporary, 0o777);
    const program = compiled.program(`
      import { mkdirSync, writeFileSync } from 'node:fs';
      import { cacheHome, projectState, UnsafeFolder } from './host/folders.js';
      const { folder } = projectState('/results');
      for (const each of [folder, cacheHome()]) {
        mkdirSync(each, { recursive: true });
        writeFileSync(each + '/file', '');
      }
      console.log(JSON.stringify([folder, cacheHome()]));`);
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary };
    const { stdout, stderr } = await compiled.run(program, [], { uid, env, extendEnv: false });
    expect(stderr).toBe('');
    const [state = '', cache = ''] = JSON.parse(String(stdout)) as string[];
    expect(state.startsWith(join(temporary, `llm-tool-test-${uid}`, 'state/'))).toBe(true);
    expect(cache).toBe(join(temporary, `llm-tool-test-${uid}`, 'cache'));
  });
});

describe('the state of a project', () => {
  it('is the same for all paths to its results folder, which need not exist', async () => {
    const folder = await newFolder();
    mkdirSync(join(folder, 'project'));
    symlinkSync('project', join(folder, 'link'));
    const { id } = projectState(join(folder, 'project', 'results'));
    expect(projectState(join(folder, 'link', 'results')).id).toBe(id);
    expect(projectState(join(folder, 'link', '..', 'project', 'results', '.')).id).toBe(id);
    await mkdir(join(folder, 'project', 'results'));
    expect(projectState(join(folder, 'link', 'results')).id).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{12}$/);
  });

  it('differs for another results folder', async () => {
    const folder = await newFolder();
    expect(projectState(join(folder, 'a')).id).not.toBe(projectState(join(folder, 'b')).id);
  });
});

describe('a canonical path', () => {
  it('has no symlinks, even if its last parts do not exist', async () => {
    const folder = await realpath(await newFolder());
    symlinkSync('.', join(folder, 'self'));
    expect(canonical(join(folder, 'self', 'self', 'a', 'b'))).toBe(join(folder, 'a', 'b'));
    expect(canonical('/no/such/path')).toBe('/no/such/path');
    expect(canonical('/')).toBe('/');
  });
});
