import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyBestEffort } from '../../../src/host/fs/copy-best-effort.js';
import { compileSources } from '../compiled.js';
import { newFolder } from '../temporary.js';
import { ODD_NAMES, picture, sample } from '../trees.js';

const compiled = await compileSources();
const NOBODY = 65534;

describe('a copy of what an agent left', () => {
  const mask = (content: Buffer): Buffer | null =>
    content.includes('secret') ? Buffer.from(content.toString().replaceAll('secret', '***')) : null;

  it('contains files, folders and symlinks to anywhere, and skips the rest', async () => {
    const root = await sample();
    for (const name of ODD_NAMES) writeFileSync(join(root, name), name);
    symlinkSync('/etc/passwd', join(root, 'absolute'));
    const before = picture(root);
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const server = createServer().listen(join(root, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    const to = join(await newFolder(), 'copy');
    await copyBestEffort(root, to, null);
    expect(picture(to)).toEqual(before);
  });

  it('masks secrets and keeps modes', async () => {
    const root = await newFolder();
    mkdirSync(join(root, 'in'));
    writeFileSync(join(root, 'in', 'plain'), 'nothing', { mode: 0o755 });
    writeFileSync(join(root, 'in', 'script'), 'key=secret', { mode: 0o755 });
    const to = join(await newFolder(), 'copy');
    await copyBestEffort(root, to, mask);
    expect(picture(to)).toEqual(['in/', 'in/plain 755 nothing', 'in/script 755 key=***']);
    expect(readFileSync(join(root, 'in', 'script'), 'utf8')).toBe('key=secret');
  });

  it('masks secrets in names and symlink targets, and keeps both files if their names become equal', async () => {
    const root = await newFolder();
    for (const name of ['secret.txt', '***.txt']) writeFileSync(join(root, name), '');
    symlinkSync('/secret/place', join(root, 'link'));
    mkdirSync(join(root, 'a-secret'));
    const to = join(await newFolder(), 'copy');
    await copyBestEffort(root, to, mask);
    expect(readdirSync(to).sort()).toEqual(['***.txt', '***.txt.2', 'a-***', 'link']);
    expect(readlinkSync(join(to, 'link'))).toBe('/***/place');
  });

  it('lists what it leaves out, even if it only looks', async () => {
    const root = await newFolder();
    execFileSync('sh', ['-c', 'mkdir d; mkfifo d/pipe; echo x > d/file'], { cwd: root });
    const expected = [{ path: 'd/pipe', reason: 'neither file, folder nor symlink' }];
    expect(await copyBestEffort(root, null, mask)).toEqual(expected);
    expect(await copyBestEffort(root, join(await newFolder(), 'copy'), null)).toEqual(expected);
  });

  it('keeps names that are not UTF-8', async () => {
    const root = await newFolder();
    execFileSync(
      'sh',
      ['-c', 'd=$(printf "d\\351"); mkdir "$d"; printf x >"$d/$(printf "caf\\351")"; ln -s "$d" "$(printf "l\\377")"'],
      {
        cwd: root,
      },
    );
    const to = join(await newFolder(), 'copy');
    await copyBestEffort(root, to, mask);
    const names = (folder: string): string => execFileSync('find', ['.'], { cwd: folder, encoding: 'latin1' });
    expect(names(to).split('\n').sort()).toEqual(names(root).split('\n').sort());
    expect(names(to)).toContain('d\xE9/caf\xE9');
  });

  it('leaves out a file that is too large to be masked in memory, and copies the others', async () => {
    const root = await newFolder();
    writeFileSync(join(root, 'huge'), '');
    truncateSync(join(root, 'huge'), 3 * 1024 ** 3); // sparse
    writeFileSync(join(root, 'small'), 'secret');
    const to = join(await newFolder(), 'copy');
    await copyBestEffort(root, to, mask);
    expect(picture(to)).toEqual(['small 644 ***']);
  });

  it('skips what the user is not allowed to read', async () => {
    const root = await newFolder();
    execFileSync('sh', ['-c', 'echo a >open; echo b >shut; chmod 0 shut; mkdir closed; chmod 0 closed'], {
      cwd: root,
    });
    const to = await newFolder();
    for (const folder of [root, to]) await chmod(folder, 0o777);
    const copier = compiled.program(`
      import { copyBestEffort } from './host/fs/copy-best-effort.js';
      const [from, to] = process.argv.slice(2);
      await copyBestEffort(from, to + '/plain', null);
      await copyBestEffort(from, to + '/masked', () => null);`);
    expect(await compiled.run(copier, [root, to], { uid: NOBODY })).toMatchObject({
      stderr: '',
      exitCode: 0,
    });
    for (const kind of ['plain', 'masked']) expect(readFileSync(join(to, kind, 'open'), 'utf8')).toBe('a\n');
    expect(existsSync(join(to, 'plain', 'shut'))).toBe(false);
  });
});
