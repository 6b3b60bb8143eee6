import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tearDown, type Resource } from '../../../src/activities/teardown/tear-down.js';
import { leftoversFile, readLeftovers } from '../../../src/host/leftovers.js';
import { newFolder } from '../../host/temporary.js';

const run = { run: 'run-1', sweep: 's' };
const tries = { pausesMs: [1, 1], limitMs: 60_000 };
const plain = (text: string): string => text;

/** A resource that cannot be removed the first `failures` times. */
function resource(name: string, failures: number): Resource & { calls: () => number } {
  let calls = 0;
  return {
    name,
    remedy: `remove ${name}`,
    calls: () => calls,
    remove: () => {
      calls += 1;
      return calls > failures ? Promise.resolve() : Promise.reject(new Error(`busy ${calls} (pw-secret)`));
    },
  };
}

test('removes each resource once if that succeeds', async () => {
  const stateFolder = await newFolder();
  const two = [resource('a', 0), resource('b', 0)];
  expect(await tearDown({ stateFolder }, run, two, plain, tries)).toEqual([]);
  expect(two.map(({ calls }) => calls())).toEqual([1, 1]);
  expect(existsSync(leftoversFile(stateFolder, run.run))).toBe(false);
});

test('tries a few times, and notes what could not be removed, without secrets', async () => {
  const stateFolder = await newFolder();
  const [soon, never] = [resource('soon', 2), resource('never', 99)];
  const mask = (text: string): string => text.replace('pw-secret', '[REDACTED]');
  const left = await tearDown({ stateFolder }, run, [soon, never], mask, tries);
  expect(left).toEqual([{ name: 'never', remedy: 'remove never', reason: 'busy 3 ([REDACTED])' }]);
  expect(never.calls()).toBe(3);
  expect(await readLeftovers(stateFolder)).toEqual([{ ...run, at: expect.any(String) as string, left }]);
});

test('forgets the note when nothing is left any more', async () => {
  const stateFolder = await newFolder();
  const late = resource('late', 3);
  expect(await tearDown({ stateFolder }, run, [late], plain, tries)).toHaveLength(1);
  expect(await tearDown({ stateFolder }, run, [late], plain, tries)).toEqual([]);
  expect(await readLeftovers(stateFolder)).toEqual([]);
});

test('does not wait for a removal that never ends', async () => {
  const stateFolder = await newFolder();
  const hangs: Resource = { name: 'x', remedy: '', remove: () => new Promise(() => undefined) };
  const [left] = await tearDown({ stateFolder }, run, [hangs], plain, { pausesMs: [1], limitMs: 20 });
  expect(left?.reason).toBe('no answer within 0.02 s');
});

test('ignores notes that are damaged', async () => {
  const stateFolder = await newFolder();
  await tearDown({ stateFolder }, run, [resource('kept', 9)], plain, tries);

  writeFileSync(leftoversFile(stateFolder, 'damaged'), '{');
  expect((await readLeftovers(stateFolder)).map(({ run }) => run)).toEqual(['run-1']);
});
