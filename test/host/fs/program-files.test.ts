import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { programFiles, type ProgramFiles } from '../../../src/host/fs/program-files.js';
import { newFolder } from '../temporary.js';

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o755 });
};

/** A folder with these files, and the files that the program `bin/tool` in it consists of. */
async function tool(files: Record<string, string>, declared: string[] | null = null) {
  const folder = await newFolder();
  const put = async (path: string, text: string): Promise<void> => write(join(folder, path), text);
  await put('bin/tool', '#!/bin/sh\necho hello\n');
  for (const [path, text] of Object.entries(files)) await put(path, text);
  const look = async (): Promise<ProgramFiles> =>
    programFiles(join(folder, 'bin/tool'), {
      declared: declared?.map((path) => join(folder, path)) ?? null,
      whole: null,
      passOver: [join(folder, 'results')],
      path: process.env['PATH'] ?? '',
    });
  /** True if a change gives another fingerprint. */
  const changes = async (change: () => Promise<unknown>): Promise<boolean> => {
    const before = await look();
    expect(before.unknown).toBeNull();
    await change();
    return (await look()).fingerprint !== before.fingerprint;
  };
  return { folder, put, look, changes };
}

const PACKAGE = { 'package.json': '{"name": "tool"}', 'lib/main.js': '1' };

describe('what a program consists of', () => {
  test('is unknown for a script outside a package', async () => {
    const { look } = await tool({ 'lib/main.js': '1' });
    expect((await look()).unknown).toMatch(/bin\/tool is a script outside a package: list .* target\.files/);
  });

  test('is what the scenario declares: files, folders, or the program alone', async () => {
    const { changes, put } = await tool({ 'lib/main.js': '1', 'data/x': '1', other: '1' }, ['lib', 'data/x']);
    expect(await changes(() => put('lib/main.js', '2'))).toBe(true);
    expect(await changes(() => put('lib/new.js', ''))).toBe(true);
    expect(await changes(() => put('data/x', '2'))).toBe(true);
    expect(await changes(() => put('other', '2'))).toBe(false);
    const alone = await tool({}, []);
    expect(await alone.changes(() => alone.put('lib/x', '2'))).toBe(false);
    expect(await alone.changes(() => alone.put('bin/tool', '#!/bin/sh\n'))).toBe(true);
  });

  test.each(['package.json', 'pyproject.toml', 'Gemfile'])('is its package, by %s', async (manifest) => {
    const { changes, put } = await tool({ ...PACKAGE, 'package.json': '', [manifest]: '{"name": "tool"}' });
    expect(await changes(() => put('lib/main.js', '2'))).toBe(true);
    expect(await changes(() => put('lib/new.js', ''))).toBe(true);
    expect(await changes(() => put('.git/index', '2'))).toBe(false);
    expect(await changes(() => put('results/x', '2'))).toBe(false);
    expect(await changes(() => put('lib/__pycache__/main.pyc', '2'))).toBe(false);
  });

  test('is the package around a folder of built files', async () => {
    const { changes, put } = await tool({ ...PACKAGE, 'bin/package.json': '{"type": "module"}' });
    expect(await changes(() => put('lib/main.js', '2'))).toBe(true);
  });

  test('includes dependencies as the package manager recorded them, and linked packages by content', async () => {
    const { changes, put, folder } = await tool({
      ...PACKAGE,
      'node_modules/.package-lock.json': '1',
      'node_modules/dep/index.js': '1',
    });
    const linked = await newFolder();
    await write(join(linked, 'index.js'), '1');
    await symlink(linked, join(folder, 'node_modules/linked'));
    expect(await changes(() => put('node_modules/.package-lock.json', '2'))).toBe(true);
    expect(await changes(() => put('node_modules/dep/index.js', '2'))).toBe(false);
    expect(await changes(() => write(join(linked, 'index.js'), '2'))).toBe(true);
  });

  test('includes all of node_modules if nothing is recorded', async () => {
    const { changes, put } = await tool({ ...PACKAGE, 'node_modules/dep/index.js': '1' });
    expect(await changes(() => put('node_modules/dep/index.js', '2'))).toBe(true);
  });

  test('includes a virtual environment, its editable packages, and the package around it', async () => {
    const source = await newFolder();
    await write(join(source, 'mytool/main.py'), '1');
    const { changes, put } = await tool({
      'pyproject.toml': '',
      'src/x.py': '1',
      'bin/pyvenv.cfg': '',
      'bin/lib/site-packages/dep.dist-info/RECORD': '1',
      'bin/lib/site-packages/dep/x.py': '1',
      'bin/lib/site-packages/mytool.dist-info/direct_url.json': JSON.stringify({
        url: `file://${source}`,
        dir_info: { editable: true },
      }),
    });
    expect(await changes(() => put('bin/lib/site-packages/dep.dist-info/RECORD', '2'))).toBe(true);
    expect(await changes(() => put('bin/lib/site-packages/dep/x.py', '2'))).toBe(false);
    expect(await changes(() => write(join(source, 'mytool/main.py'), '2'))).toBe(true);
    expect(await changes(() => put('src/x.py', '2'))).toBe(true);
  });

  test('is unknown for a package that is too large to read', async () => {
    const { look, folder } = await tool(PACKAGE);
    const { truncate } = await import('node:fs/promises');
    await write(join(folder, 'video'), '');
    await truncate(join(folder, 'video'), 300 * 1024 * 1024);
    expect((await look()).unknown).toMatch(/more than 10000 files or 256 MiB: list/);
  });

  test('does not depend on its location', async () => {
    const [here, there] = [await tool(PACKAGE), await tool(PACKAGE)];
    expect((await there.look()).fingerprint).toBe((await here.look()).fingerprint);
  });

  test('is only the file itself for a binary', async () => {
    const { look, changes, put } = await tool({ 'bin/tool': '\x7fELF rest' });
    expect((await look()).unknown).toBeNull();
    expect(await changes(() => put('lib/main.js', '2'))).toBe(false);
    expect(await changes(() => put('bin/tool', '\x7fELF other'))).toBe(true);
  });

  test('includes the interpreter that its first line names', async () => {
    const { changes, put, folder } = await tool({ 'bin/runs': '#!/bin/sh\n' }, []);
    await put('bin/tool', `#!${folder}/bin/runs\n`);
    expect(await changes(() => put('bin/runs', '#!/bin/sh\ntrue\n'))).toBe(true);
  });
});
