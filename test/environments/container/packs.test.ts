import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packAgent } from '../../../src/environments/container/pack-agent.js';
import { findPacks, noteUse, removePack } from '../../../src/environments/container/packs.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { newFolder, setEnv } from '../../host/temporary.js';

const LATER = Date.now() + 2 * 60 * 60 * 1000;

/** Packs a program for a run, and returns the pack and the file that is there until the run is over. */
async function packForRun(): Promise<{ pack: string; openRun: string }> {
  setEnv({ LLM_TOOL_TEST_CACHE: await newFolder() });
  const openRun = join(await newFolder(), 'run');
  writeFileSync(openRun, '');
  const packed = await packAgent(findExecutable('tar') ?? '', undefined, openRun);
  if ('why' in packed) throw new Error(packed.why);
  return { pack: packed.folder, openRun };
}

it('keeps the pack of an agent as long as a run that uses it is open', async () => {
  const { pack, openRun } = await packForRun();
  expect(await findPacks(LATER)).toEqual({ unused: [], used: [pack] });
  rmSync(openRun);
  expect(await findPacks(LATER)).toEqual({ unused: [{ folder: pack, bytes: expect.any(Number) as number }], used: [] });
  expect(await removePack(pack, LATER)).toBe(true);
  expect(existsSync(pack)).toBe(false);
  expect(await findPacks(LATER)).toEqual({ unused: [], used: [] });
});

it('keeps the pack of a run that has just begun, and has no note of its own yet', async () => {
  const { pack, openRun } = await packForRun();
  rmSync(openRun);
  expect(await findPacks()).toEqual({ unused: [], used: [pack] });
});

it('leaves a pack that a run begins to use while it is removed', async () => {
  const { pack, openRun } = await packForRun();
  rmSync(openRun);
  expect((await findPacks(LATER)).unused).toHaveLength(1);
  writeFileSync(openRun, '');
  await noteUse(pack, openRun);
  expect(await removePack(pack, LATER)).toBe(false);
  expect(existsSync(join(pack, 'bin', 'tar'))).toBe(true);
});

it('finds packs that were left half-made, but not those that are being made', async () => {
  const { pack } = await packForRun();
  const half = `${pack}.1-0123abcd.tmp`;
  mkdirSync(half);
  expect((await findPacks()).used.sort()).toEqual([pack, half]);
  utimesSync(half, 0, 0);
  expect((await findPacks()).unused.map(({ folder }) => folder)).toEqual([half]);
});
