import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  copyTree,
  hashTree,
  isRealFolder,
  listTree,
  createFolderOnce,
  removeTree,
  snapshotTree,
  staysInside,
  UnusableTree,
} from '../../../src/host/fs/tree.js';
import { compileSources } from '../compiled.js';
import { newFolder } from '../temporary.js';
import { ODD_NAMES, picture, sample } from '../trees.js';

const compiled = await compileSources();
const NOBODY = 65534;

const hashOf = async (root: string): Promise<string> => hashTree(root, await listTree(root));

describe('the list of a tree', () => {
  it('has every entry once, folders before their contents, in a fixed order', async () => {
    expect(await listTree(await sample())).toEqual([
      { kind: 'symlink', path: 'dangling', to: 'nowhere' },
      { kind: 'file', path: 'file', executable: false, bytes: 7 },
      { kind: 'folder', path: 'folder' },
      { kind: 'folder', path: 'folder/empty' },
      { kind: 'file', path: 'folder/script', executable: true, bytes: 10 },
      { kind: 'symlink', path: 'folder/up', to: '../file' },
      { kind: 'symlink', path: 'link', to: 'folder/script' },
    ]);
  });

  it.each([
    ['a symlink that climbs out', (root: string) => symlinkSync('../../etc/passwd', join(root, 'folder', 'bad'))],
    ['an absolute symlink', (root: string) => symlinkSync('/etc/passwd', join(root, 'folder', 'bad'))],
    [
      'an absolute symlink to the tree itself',
      (root: string) => symlinkSync(join(root, 'file'), join(root, 'folder', 'bad')),
    ],
    [
      'a symlink that climbs out through another one',
      (root: string) => {
        mkdirSync(join(root, 'a', 'b'), { recursive: true });
        symlinkSync('../..', join(root, 'a', 'b', 'top'));
        symlinkSync('../a/b/top/../outside', join(root, 'folder', 'bad'));
        writeFileSync(resolve(root, '../outside'), '');
        onTestFinished(() => rmSync(resolve(root, '../outside')));
      },
    ],
    ['a FIFO', (root: string) => execFileSync('mkfifo', [join(root, 'folder', 'bad')])],
  ])('refuses %s, naming it', async (_, spoil) => {
    const root = await sample();
    spoil(root);
    await expect(listTree(root)).rejects.toThrow(UnusableTree);
    await expect(listTree(root)).rejects.toThrow(join(root, 'folder', 'bad'));
  });

  it('refuses a socket and names it', async () => {
    const root = await sample();
    const server = createServer().listen(join(root, 'bad'));
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    await expect(listTree(root)).rejects.toThrow(join(root, 'bad'));
  });

  it('refuses a name that is not UTF-8, naming its place', async () => {
    const root = await sample();
    execFileSync('sh', ['-c', 'printf x >"$(printf "caf\\351")"'], { cwd: join(root, 'folder') });
    await expect(listTree(root)).rejects.toThrow(UnusableTree);
    await expect(listTree(root)).rejects.toThrow(join(root, 'folder', 'caf'));
  });

  it('does not enter a symlink to a folder, even in a circle', async () => {
    const root = await newFolder();
    symlinkSync('.', join(root, 'self'));
    expect(await listTree(root)).toEqual([{ kind: 'symlink', path: 'self', to: '.' }]);
  });
});

describe('whether a symlink stays inside', () => {
  it.each([
    ['a', 'b', true],
    ['a', '.', true],
    ['a', '..', false],
    ['a/b', '..', true],
    ['a/b', '../..', false],
    ['a/b', '../../root/x', false],
    ['a', '/root/x', false],
    ['a', '...', true],
    ['a', 'b/../../root', false],
    ['a', '../rootless', false],
  ])('%s -> %s: %s', (path, to, inside) => {
    expect(staysInside(path, to)).toBe(inside);
  });

  it('a relative target stays inside exactly if no prefix of its path climbs above the root', () => {
    const part = fc.constantFrom('a', 'b', '..', '.', '...', '-', 'root');
    const name = fc.constantFrom('a', 'b', 'root');
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 4 }),
        fc.array(part, { minLength: 1, maxLength: 8 }),
        (path, to) => {
          let depth = path.length - 1;
          let lowest = depth;
          for (const step of to) {
            if (step === '..') depth -= 1;
            else if (step !== '.') depth += 1;
            lowest = Math.min(lowest, depth);
          }
          expect(staysInside(path.join('/'), to.join('/'))).toBe(lowest >= 0);
          expect(staysInside(path.join('/'), `/${to.join('/')}`)).toBe(false);
        },
      ),
    );
  });
});

describe('the hash of a tree', () => {
  it('is the same for an equal tree in another place with other times', async () => {
    const [one, other] = [await sample(), await sample()];
    utimesSync(join(other, 'file'), new Date(0), new Date(0));
    chmodSync(join(other, 'file'), 0o600);
    expect(await hashOf(one)).toBe(await hashOf(other));
    expect(await hashOf(one)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['content', 'printf Content >file'],
    ['name', 'mv file file2'],
    ['executable bit', 'chmod +x file'],
    ['target of a symlink', 'ln -sfn file link'],
    ['empty folder', 'mkdir new'],
    ['empty file', 'touch new'],
    ['file in place of an empty folder', 'rmdir folder/empty; touch folder/empty'],
    ['symlink in place of a file', 'rm file; ln -s content file'],
  ])('changes with a new %s', async (_, change) => {
    const root = await sample();
    const before = await hashOf(root);
    execFileSync('sh', ['-c', change], { cwd: root });
    expect(await hashOf(root)).not.toBe(before);
  });
});

describe('a copy of a tree', () => {
  it('keeps names, contents, executable bits, symlinks and times', async () => {
    const root = await sample();
    for (const name of ODD_NAMES) writeFileSync(join(root, name), name);
    writeFileSync(join(root, 'binary'), randomBytes(300_000));
    utimesSync(join(root, 'file'), new Date(1e12), new Date(1e12));
    const to = join(await newFolder(), 'copy');
    await copyTree(root, await listTree(root), to);
    expect(picture(to)).toEqual(picture(root));
    expect(await hashOf(to)).toBe(await hashOf(root));
    expect(lstatSync(join(to, 'file')).mtimeMs).toBe(1e12);
  });

  it('is writable by its owner even if the original is not', async () => {
    const root = await newFolder();
    writeFileSync(join(root, 'file'), 'x', { mode: 0o444 });
    writeFileSync(join(root, 'script'), 'x', { mode: 0o555 });
    const to = await newFolder();
    await copyTree(root, await listTree(root), to);
    expect(picture(to)).toEqual(['file 644 x', 'script 755 x']);
  });

  it('has separate files for hard links', async () => {
    const [root, to] = [await newFolder(), await newFolder()];
    writeFileSync(join(root, 'a'), 'x');
    linkSync(join(root, 'a'), join(root, 'b'));
    await copyTree(root, await listTree(root), to);
    writeFileSync(join(to, 'a'), 'changed');
    expect(readFileSync(join(to, 'b'), 'utf8')).toBe('x');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });

  it('is stored under its hash completely and only once', async () => {
    const [root, store] = [await sample(), await newFolder()];
    const hashes = await Promise.all(Array.from({ length: 8 }, () => snapshotTree(root, store)));
    expect(new Set(hashes)).toEqual(new Set([await hashOf(root)]));
    expect(readdirSync(store)).toEqual([hashes[0]]);
    expect(picture(join(store, hashes[0] ?? ''))).toEqual(picture(root));
  });
});

describe('creating a folder once', () => {
  it('fills it only if it does not exist', async () => {
    const folder = join(await newFolder(), 'a', 'place');
    const fills: string[] = [];
    const fill = (name: string) => async (temporary: string) => {
      fills.push(name);
      await writeFile(join(temporary, 'by'), name);
    };
    await createFolderOnce(folder, fill('first'));
    await createFolderOnce(folder, fill('second'));
    expect(fills).toEqual(['first']);
    expect(picture(folder)).toEqual(['by 644 first']);
  });

  it('leaves nothing if filling it fails', async () => {
    const root = await newFolder();
    const failing = createFolderOnce(join(root, 'place'), async (temporary) => {
      await writeFile(join(temporary, 'part'), '');
      throw new Error('disk full');
    });
    await expect(failing).rejects.toThrow('disk full');
    expect(readdirSync(root)).toEqual([]);
  });

  it('gives one complete folder if many create it at the same time', async () => {
    const root = await newFolder();
    const folder = join(root, 'place');
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        createFolderOnce(folder, async (temporary) => {
          for (const name of ['x', 'y', 'z']) await writeFile(join(temporary, name), String(n));
        }),
      ),
    );
    expect(readdirSync(root)).toEqual(['place']);
    expect(new Set(['x', 'y', 'z'].map((name) => readFileSync(join(folder, name), 'utf8'))).size).toBe(1);
  });
});

describe('removing a tree', () => {
  it('removes a tree, and does nothing if there is none', async () => {
    const root = await sample();
    await removeTree(root);
    expect(isRealFolder(root)).toBe(false);
    await removeTree(root);
  });

  it('removes read-only folders, such as a Go module cache, and follows no symlinks', async () => {
    const root = await newFolder();
    await chmod(root, 0o777);
    const remover = compiled.program(`
      import { execFileSync } from 'node:child_process';
      import { removeTree } from './host/fs/tree.js';
      const root = process.argv[2];
      execFileSync('sh', ['-c', 'mkdir -p kept home/pkg/mod/x; echo a >home/pkg/mod/x/a; echo k >kept/k; ln -s ../kept home/link; ' +
        'mkdir home/none; chmod -R a-w home kept; chmod 0 home/none'], { cwd: root });
      await removeTree(root + '/home');`);
    expect(await compiled.run(remover, [root], { uid: NOBODY })).toMatchObject({ stderr: '', exitCode: 0 });
    expect(picture(root)).toEqual(['kept/', 'kept/k 444 k\n']);
    expect(lstatSync(join(root, 'kept')).mode & 0o777).toBe(0o555);
  });
});
