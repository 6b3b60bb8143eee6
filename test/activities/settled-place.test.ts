import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Place } from '../../src/environments/index.js';
import { findExecutable } from '../../src/platform/process/find-executable.js';
import { compileSources } from '../platform/compiled.js';
import { newFolder } from '../platform/temporary.js';

const compiled = await compileSources('environments', 'platform', 'gates', 'results', 'activities/step');

/** The environment of a run as determined by a step in a separate process, with these programs on its PATH. */
async function placeIn(root: string, decide: boolean, programs: string[]): Promise<Place> {
  const folder = await newFolder();
  for (const name of programs) {
    const path = await findExecutable(name);
    if (path !== null) symlinkSync(path, join(folder, name));
  }
  const program = compiled.program(`
    import { settledEnvironment } from './activities/step/settled-environment.js';
    const [root, decide] = JSON.parse(process.argv[2]);
    console.log(JSON.stringify(await settledEnvironment(root, { type: 'auto' }, decide)));`);
  const { stdout } = await compiled.run(program, [JSON.stringify([root, decide])], { env: { PATH: folder } });
  return JSON.parse(String(stdout)) as Place;
}

const ALL = ['env', 'true', 'bwrap', 'pasta'];

it('the environment is decided once: later and repeated steps keep it, even if the machine has changed', async () => {
  const root = await newFolder();
  const decided = await placeIn(root, true, ['env', 'true']);
  expect(decided).toMatchObject({ type: 'local', lacking: expect.stringContaining('bwrap') as string });
  expect(await placeIn(root, false, ALL)).toEqual(decided);
  expect(await placeIn(root, true, ALL)).toEqual(decided);
});

it('the environment is determined again in each step of a run that an older build has prepared', async () => {
  const root = await newFolder();
  expect((await placeIn(root, false, ['env', 'true'])).type).toBe('local');
  const { lacking } = await placeIn(root, false, ALL);
  expect(lacking ?? '').not.toContain('bwrap is not on PATH');
});
