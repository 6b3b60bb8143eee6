import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readJsonIfThere, readTextIfThere } from '../../../src/host/fs/read-file.js';
import { publishOnce, writeFileAtomic } from '../../../src/host/fs/write-file.js';
import { compileSources } from '../compiled.js';
import { newFolder } from '../temporary.js';

const compiled = await compileSources();

it('writes a file with the given mode, creating its folders, and leaves nothing else', async () => {
  const folder = await newFolder();
  const path = join(folder, 'a', 'b', 'file');
  await writeFileAtomic(path, 'é', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('é');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['file']);
});

it('readers see either the old or the new content, never a part', async () => {
  const folder = await newFolder();
  const path = join(folder, 'file');
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2_000_000));
  await writeFileAtomic(path, contents[0] ?? '');
  const enough = join(await newFolder(), 'enough');
  const writer = compiled.program(`
    import { existsSync } from 'node:fs';
    import { writeFileAtomic } from './host/fs/write-file.js';
    const [path, enough] = process.argv.slice(2);
    for (let round = 0; round < 15 || !existsSync(enough); round++) {
      for (const letter of ['a', 'b', 'c', 'd']) await writeFileAtomic(path, letter.repeat(2_000_000));
    }`);
  const state = { over: false };
  const writers = Promise.all([1, 2].map(() => compiled.run(writer, [path, enough]))).finally(
    () => (state.over = true),
  );
  let reads = 0;
  while (!state.over) {
    expect(contents.includes((await readTextIfThere(path)) ?? '')).toBe(true);
    await setImmediate(); // the end of the writer is an event
    reads += 1;
    if (reads === 20) writeFileSync(enough, '');
  }
  expect((await writers).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(reads).toBeGreaterThan(10);
  expect(readdirSync(folder)).toEqual(['file']);
});

it('leaves no temporary file if it cannot move the file into place', async () => {
  const folder = await newFolder();
  await mkdir(join(folder, 'taken'));
  await expect(writeFileAtomic(join(folder, 'taken'), 'x')).rejects.toThrow();
  await expect(publishOnce(join(folder, 'n'.repeat(300)), 'x')).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['taken']);
});

it('publishes only once: a second attempt changes nothing', async () => {
  const folder = await newFolder();
  const path = join(folder, 'steps', 'one.json');
  expect(await publishOnce(path, 'first', 0o600)).toBe(true);
  expect(await publishOnce(path, 'second')).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'steps'))).toEqual(['one.json']);
});

it('one of many concurrent publishers wins, and the published file is complete', async () => {
  const folder = await newFolder();
  const publisher = compiled.program(`
    import { publishOnce } from './host/fs/write-file.js';
    const [folder, name] = process.argv.slice(2);
    const won = [];
    for (let n = 0; n < 40; n++) if (await publishOnce(folder + '/' + n, name.repeat(50_000))) won.push(n);
    console.log(JSON.stringify(won));`);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ends = await Promise.all(names.map((name) => compiled.run(publisher, [folder, name])));
  const won = ends.map(({ stdout }) => JSON.parse(String(stdout)) as number[]);
  expect(won.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  for (const [index, numbers] of won.entries()) {
    for (const n of numbers) expect(readFileSync(join(folder, String(n)), 'utf8')).toBe(names[index]?.repeat(50_000));
  }
  expect(readdirSync(folder)).toHaveLength(40);
});

it('reads a missing file as null, and throws for one that cannot be read', async () => {
  const folder = await newFolder();
  await writeFileAtomic(join(folder, 'file'), '{"a":1}');
  expect(await readTextIfThere(join(folder, 'none'))).toBeNull();
  expect(await readTextIfThere(join(folder, 'file', 'below'))).toBeNull();
  expect(await readJsonIfThere(join(folder, 'file'))).toEqual({ a: 1 });
  expect(await readJsonIfThere(join(folder, 'none'))).toBeNull();
  await expect(readTextIfThere(folder)).rejects.toThrow('EISDIR');
  await writeFileAtomic(join(folder, 'file'), '{"a":');
  await expect(readJsonIfThere(join(folder, 'file'))).rejects.toThrow(/file is not JSON$/);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});
