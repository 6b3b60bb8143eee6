import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Place } from '../../../src/environments/environment.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { compileSources } from '../../host/compiled.js';
import { newFolder } from '../../host/temporary.js';

const compiled = await compileSources();

/**
 * The environment of a run as determined by a step in a separate process, on a machine with or without bwrap: a program
 * in its place that always succeeds, since the machine of the tests may have none.
 */
async function placeIn(root: string, decide: boolean, { bwrap }: { bwrap: boolean }): Promise<Place> {
  const folder = await newFolder();
  for (const name of ['env', 'true']) symlinkSync(findExecutable(name) ?? '', join(folder, name));
  if (bwrap) writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\n', { mode: 0o755 });
  const program = compiled.program(`
    import { settledEnvironment } from './activities/run/settled-environment.js';
    const [root, decide] = JSON.parse(process.argv[2]);
    console.log(JSON.stringify(await settledEnvironment(root, { type: 'auto' }, decide)));`);
  const { stdout } = await compiled.run(program, [JSON.stringify([root, decide])], { env: { PATH: folder } });
  return JSON.parse(String(stdout)) as Place;
}

it('the environment is decided once: later and repeated steps keep it, even if the machine has changed', async () => {
  const root = await newFolder();
  const decided = await placeIn(root, true, { bwrap: false });
  expect(decided).toMatchObject({ type: 'local', lacking: expect.stringContaining('bwrap') as string });
  expect(await placeIn(root, false, { bwrap: true })).toEqual(decided);
  expect(await placeIn(root, true, { bwrap: true })).toEqual(decided);
});

it('the environment is determined again in each step of a run that was not prepared', async () => {
  const root = await newFolder();
  expect((await placeIn(root, false, { bwrap: false })).type).toBe('local');
  expect(await placeIn(root, false, { bwrap: true })).toMatchObject({ type: 'bubblewrap', lacking: null });
});
