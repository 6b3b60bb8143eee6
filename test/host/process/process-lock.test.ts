import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { lockHolder, tryLock } from '../../../src/host/process/process-lock.js';
import { ownIdentity } from '../../../src/host/process/process-identity.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { compileSources } from '../compiled.js';
import { newFolder } from '../temporary.js';

const compiled = await compileSources();

it('has one holder, and can be taken again when it is released', async () => {
  const folder = await newFolder();
  const lock = await tryLock(folder, 'engine');
  expect(lock).not.toBeNull();
  expect(await tryLock(folder, 'engine')).toBeNull();
  expect(await lockHolder(folder, 'engine')).toEqual(ownIdentity());
  await lock?.release();
  expect(await lockHolder(folder, 'engine')).toBeNull();
  expect(await tryLock(folder, 'engine')).not.toBeNull();
});

it('creates its folder, and keeps locks of other names apart', async () => {
  const folder = join(await newFolder(), 'a', 'b');
  expect(await lockHolder(folder, 'engine')).toBeNull();
  expect(await tryLock(folder, 'engine')).not.toBeNull();
  expect(await tryLock(folder, 'temporal')).not.toBeNull();
  expect(await tryLock(folder, 'engine')).toBeNull();
});

it('leaves one small file, no matter how often it is taken', async () => {
  const folder = await newFolder();
  for (let round = 0; round < 12; round++) await (await tryLock(folder, 'engine'))?.release();
  expect(readdirSync(folder)).toEqual(['engine.lock.12']);
});

it('ignores files that are not locks', async () => {
  const folder = await newFolder();
  for (const name of ['engine.lock.x', 'engine.lock.9.1-ab.tmp', 'engine.lock', 'other.lock.7']) {
    writeFileSync(join(folder, name), JSON.stringify(ownIdentity()));
  }
  expect(await tryLock(folder, 'engine')).not.toBeNull();
});

it('goes to one of many concurrent calls in one process', async () => {
  const folder = await newFolder();
  for (let round = 0; round < 20; round++) {
    const locks = (await Promise.all(Array.from({ length: 10 }, () => tryLock(folder, 'engine')))).filter(
      (lock) => lock !== null,
    );
    expect(locks).toHaveLength(1);
    await locks[0]?.release();
  }
});

it('can be taken again when its holder was killed', async () => {
  const folder = await newFolder();
  const holder = compiled.program(`
    import { tryLock } from './host/process/process-lock.js';
    await tryLock(process.argv[2], 'engine');
    console.log('held');
    setInterval(() => {}, 1000);`);
  const child = spawn(process.execPath, [holder, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect((await lockHolder(folder, 'engine'))?.pid).toBe(child.pid);
  expect(await tryLock(folder, 'engine')).toBeNull();
  child.kill('SIGKILL');
  const free = await waitUntil(async () => ((await lockHolder(folder, 'engine')) === null ? true : null), 60_000, 10);
  expect(free).toBe(true);
  expect(await tryLock(folder, 'engine')).not.toBeNull();
});

it('is held by one of eight processes at a time, until each has held it many times', async () => {
  const folder = await newFolder();
  // While it holds the lock, each creates a file exclusively and removes it: a second holder would find the file.
  const racer = compiled.program(`
    import { closeSync, openSync, unlinkSync } from 'node:fs';
    import { join } from 'node:path';
    import { tryLock } from './host/process/process-lock.js';
    const [folder, times] = process.argv.slice(2);
    const inside = join(folder, 'inside');
    let won = 0;
    while (won < Number(times)) {
      const lock = await tryLock(join(folder, 'locks'), 'engine');
      if (lock === null) {
        await new Promise((resolve) => setTimeout(resolve, 2)); // else the losers starve the holder
        continue;
      }
      closeSync(openSync(inside, 'wx'));
      won += 1;
      unlinkSync(inside);
      await lock.release();
    }
    console.log(won);`);
  const ends = await Promise.all(Array.from({ length: 8 }, () => compiled.run(racer, [folder, '25'])));
  expect(ends.map(({ stderr }) => stderr)).toEqual(ends.map(() => ''));
  expect(ends.map(({ stdout }) => stdout)).toEqual(ends.map(() => '25'));
});

it('a slow contender does not get a number that has been taken and removed in the meantime', async () => {
  const folder = await newFolder();
  const slow = compiled.program(`
    import fs, { writeFileSync, existsSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { linkSync } = fs;
    const cell = new Int32Array(new SharedArrayBuffer(4));
    fs.linkSync = (...args) => {
      writeFileSync(process.argv[2] + '/waiting', '');
      while (!existsSync(process.argv[2] + '/go')) Atomics.wait(cell, 0, 0, 10);
      return linkSync(...args);
    };
    syncBuiltinESMExports();
    const { tryLock } = await import('./host/process/process-lock.js');
    console.log((await tryLock(process.argv[2], 'engine')) === null ? 'refused' : 'held');`);
  await (await tryLock(folder, 'engine'))?.release();
  const contender = compiled.run(slow, [folder]);
  await waitUntil(() => (readdirSync(folder).includes('waiting') ? true : null), 30_000, 10);
  await (await tryLock(folder, 'engine'))?.release();
  expect(await tryLock(folder, 'engine')).not.toBeNull();
  writeFileSync(join(folder, 'go'), '');
  expect((await contender).stdout).toBe('refused');
  expect(await lockHolder(folder, 'engine')).toEqual(ownIdentity());
  expect(readdirSync(folder).filter((name) => name.startsWith('engine'))).toEqual(['engine.lock.3']);
  expect(JSON.parse(readFileSync(join(folder, 'engine.lock.3'), 'utf8'))).toEqual(ownIdentity());
});
