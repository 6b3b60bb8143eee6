import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { objectNameProblem } from '../../../src/store/shared/names.js';
import type { SharedStore } from '../../../src/store/shared/shared-store.js';

const textOf = async (store: SharedStore, name: string): Promise<string | null> =>
  (await store.get(name))?.toString() ?? null;

/** Folders of the tests, which are removed after the last one. */
const scratch = mkdtempSync(join(tmpdir(), 'llm-tool-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const temporaryFolder = (): string => mkdtempSync(join(scratch, 'folder-'));

/** A folder with what runs leave: modes, symlinks inside and out, empty folders, odd names and many files. */
function sampleFolder(files = 100): string {
  const folder = join(temporaryFolder(), 'sample');
  mkdirSync(join(folder, 'empty'), { recursive: true });
  mkdirSync(join(folder, 'artifacts', 'deep', 'er'), { recursive: true });
  writeFileSync(join(folder, 'artifacts', 'run.json'), '{"run":1}\n');
  writeFileSync(join(folder, 'artifacts', 'deep', 'er', 'script.sh'), '#!/bin/sh\n');
  chmodSync(join(folder, 'artifacts', 'deep', 'er', 'script.sh'), 0o755);
  writeFileSync(join(folder, 'read-only.txt'), 'x');
  chmodSync(join(folder, 'read-only.txt'), 0o444);
  writeFileSync(join(folder, 'ä ö.txt'), 'ü');
  writeFileSync(join(folder, `${'n'.repeat(200)}.txt`), 'a long name');
  writeFileSync(join(folder, 'large.bin'), Buffer.alloc(3 * 1024 * 1024, 'large '));
  symlinkSync('artifacts/run.json', join(folder, 'inside'));
  symlinkSync('/etc/hostname', join(folder, 'outside'));
  symlinkSync('gone', join(folder, 'dangling'));
  mkdirSync(join(folder, 'many'));
  for (let file = 0; file < files; file++) writeFileSync(join(folder, 'many', `${file}.txt`), `${file}`);
  return folder;
}

/** Everything in a folder that a store keeps: paths, kinds, modes of files, targets of symlinks and contents. */
function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries.map((path) => {
      const full = join(folder, path);
      const info = lstatSync(full);
      if (info.isSymbolicLink()) return [path, `-> ${readlinkSync(full)}`];
      if (info.isDirectory()) return [path, 'folder'];
      return [path, `${(info.mode & 0o777).toString(8)} ${readFileSync(full).toString('base64')}`];
    }),
  );
}

/** The contract of every kind of store. `open` opens the same empty place again and again. */
export function storeContract(open: () => Promise<SharedStore>): void {
  test('returns null for an object that does not exist', async () => {
    const store = await open();
    expect(await store.get('none')).toBeNull();
    expect(await store.get('no/folder/either')).toBeNull();
    expect(await store.list('no/folder')).toEqual([]);
    expect(await store.getFolder('none', join(temporaryFolder(), 'x'))).toBe(false);
    expect(await store.getFileOf('none', 'x')).toBeNull();
    await store.remove('none');
  });

  test('writes, replaces and removes objects, byte for byte', async () => {
    const store = await open();
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    await store.put('objects/a.bin', bytes);
    expect(await store.get('objects/a.bin')).toEqual(bytes);
    for (const text of ['first', 'other', 'a longer text', 'short', '']) {
      await store.put('objects/a.bin', text);
      expect(await textOf(await open(), 'objects/a.bin')).toBe(text);
    }
    await store.remove('objects/a.bin');
    expect(await store.get('objects/a.bin')).toBeNull();
  });

  test('says when an object was written, by its own clock', async () => {
    const store = await open();
    expect(await store.writtenAt('timed/none')).toBeNull();
    await store.put('timed/a', 'a');
    await store.put('timed/b', 'b');
    const [a, b] = [await store.writtenAt('timed/a'), await store.writtenAt('timed/b')];
    expect(a).toBeGreaterThan(Date.parse('2020-01-01'));
    expect(b).toBeGreaterThanOrEqual(a ?? Infinity);
  });

  test('creates an object once, and recognises the same contents', async () => {
    const store = await open();
    expect(await store.putOnce('once/a', 'one')).toBe(true);
    expect(await store.putOnce('once/a', 'two')).toBe(false);
    expect(await store.putOnce('once/a', 'one')).toBe(true);
    expect(await textOf(store, 'once/a')).toBe('one');
  });

  test('lets exactly one of 20 writers create an object', async () => {
    const [store, stores] = [await open(), await Promise.all(Array.from({ length: 20 }, open))];
    for (let round = 0; round < 4; round++) {
      const name = `race/${round}`;
      const created = await Promise.all(stores.map((each, writer) => each.putOnce(name, `by ${writer}`)));
      expect(created.filter(Boolean)).toHaveLength(1);
      expect(await textOf(store, name)).toBe(`by ${created.indexOf(true)}`);
    }
    expect(await store.list('race')).toEqual(['0', '1', '2', '3']);
  });

  test('lists the objects directly in a folder, sorted', async () => {
    const store = await open();
    for (const name of ['list/b', 'list/a', 'list/a b', 'list/ä', 'list/sub/c', 'list.d']) await store.put(name, name);
    await store.putFolder('list/folder', sampleFolder(1));
    expect(await store.list('list')).toEqual(['a', 'a b', 'b', 'ä']);
    expect(await store.list('list/sub')).toEqual(['c']);
  });

  test('stores a folder with modes, symlinks and empty folders, and copies it back', async () => {
    const store = await open();
    const folder = sampleFolder();
    await store.putFolder('runs/one', folder);
    const copy = join(temporaryFolder(), 'deep', 'copy');
    expect(await (await open()).getFolder('runs/one', copy)).toBe(true);
    expect(treeOf(copy)).toEqual(treeOf(folder));
    expect(readdirSync(join(copy, '..'))).toEqual(['copy']);
    await store.remove('runs/one');
    expect(await store.getFolder('runs/one', join(temporaryFolder(), 'again'))).toBe(false);
  });

  test('stores an empty folder', async () => {
    const store = await open();
    await store.putFolder('runs/empty', temporaryFolder());
    const copy = join(temporaryFolder(), 'copy');
    expect(await store.getFolder('runs/empty', copy)).toBe(true);
    expect(readdirSync(copy)).toEqual([]);
  });

  test('keeps the first of two folders with the same name', async () => {
    const store = await open();
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(first, 'a.txt'), 'first');
    writeFileSync(join(second, 'a.txt'), 'second');
    await store.putFolder('runs/twice', first);
    await store.putFolder('runs/twice', second);
    expect((await store.getFileOf('runs/twice', 'a.txt'))?.toString()).toBe('first');
  });

  test('reads one file of a stored folder', async () => {
    const store = await open();
    await store.putFolder('runs/file', sampleFolder(1));
    expect((await store.getFileOf('runs/file', 'artifacts/run.json'))?.toString()).toBe('{"run":1}\n');
    expect(await store.getFileOf('runs/file', 'large.bin')).toHaveLength(3 * 1024 * 1024);
    expect(await store.getFileOf('runs/file', 'artifacts')).toBeNull();
    expect(await store.getFileOf('runs/file', 'outside')).toBeNull();
    expect(await store.getFileOf('runs/file', 'missing.txt')).toBeNull();
    await expect(store.getFileOf('runs/file', '../file/large.bin')).rejects.toThrow('it contains ".."');
  });

  test('stores nothing of a folder that cannot be read', async () => {
    const store = await open();
    await expect(store.putFolder('runs/gone', join(temporaryFolder(), 'gone'))).rejects.toThrow();
    expect(await store.getFolder('runs/gone', join(temporaryFolder(), 'copy'))).toBe(false);
  });

  test('leaves nothing behind where it could not copy a folder to', async () => {
    const store = await open();
    await store.putFolder('runs/blocked', sampleFolder(1));
    const parent = temporaryFolder();
    writeFileSync(join(parent, 'file'), '');
    await expect(store.getFolder('runs/blocked', join(parent, 'file', 'copy'))).rejects.toThrow();
    expect(readdirSync(parent)).toEqual(['file']);
  });

  test('never shows a reader a part of an object that is replaced', async () => {
    const [writer, reader] = [await open(), await open()];
    const contents = ['a'.repeat(1000), 'b'.repeat(1000), 'c'.repeat(100_000), 'd'.repeat(100_000), 'e'];
    const write = async (): Promise<void> => {
      for (const text of contents) await writer.put('replaced', text);
    };
    await write();
    for (let count = 0; count < 10; count++) {
      const written = write();
      for (let reads = 0; reads < 10; reads++) expect(contents).toContain(await textOf(reader, 'replaced'));
      await written;
    }
  });

  test('finds an object under its own name only, whatever the name', async () => {
    const store = await open();
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.constantFrom('a b', '%2F', 'x+y', "it's", '#1', '?', '&', '<a>', '"', '.hidden', '...', '~', '$HOME', '*'),
    );
    const name = fc
      .array(part, { minLength: 1, maxLength: 3 })
      .map((parts) => parts.map((text) => text.replaceAll('/', '_')).join('/'))
      .filter((text) => objectNameProblem(text) === null);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const full = `names/${count++}/${text}`;
        await store.put(full, text);
        expect(await textOf(store, full)).toBe(text);
        const at = full.lastIndexOf('/');
        expect(await store.list(full.slice(0, at))).toEqual([full.slice(at + 1)]);
        await store.remove(full);
        expect(await store.get(full)).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  test.each(['', '/absolute', '../out', 'a/../../out', 'a//b', 'a/', './a', 'a\0b', 'a\\b', 'a\nb', '\ud800'])(
    'refuses the name %j',
    async (name) => {
      const store = await open();
      for (const attempt of [
        () => store.get(name),
        () => store.put(name, 'x'),
        () => store.putOnce(name, 'x'),
        () => store.list(name),
        () => store.remove(name),
        () => store.putFolder(name, temporaryFolder()),
        () => store.getFolder(name, join(temporaryFolder(), 'x')),
        () => store.getFileOf(name, 'x'),
      ])
        await expect(attempt()).rejects.toThrow('cannot name an object');
    },
  );
}
