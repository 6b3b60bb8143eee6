import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fingerprint } from '../../../src/host/fs/fingerprint.js';
import { createMemory } from '../../../src/host/remembered.js';
import { newFolder } from '../temporary.js';

test('tells apart two contents of the same length that a file had at almost the same time', async () => {
  const file = join(await newFolder(), 'program');
  const seen = await createMemory().during(async () => {
    const pairs: (string | null)[][] = [];
    for (let round = 0; round < 100; round++) {
      const pair: (string | null)[] = [];
      for (const content of ['a', 'b']) {
        writeFileSync(file, content);
        pair.push(await fingerprint(file));
      }
      pairs.push(pair);
    }
    return pairs;
  });
  expect(new Set(seen.map(([a, b]) => a === b))).toEqual(new Set([false]));
});

test('gives the same for a file that has not changed, and null for what is no file', async () => {
  const folder = await newFolder();
  const file = join(folder, 'program');
  writeFileSync(file, 'a');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  try {
    const [once, again] = await createMemory().during(async () => [await fingerprint(file), await fingerprint(file)]);
    expect([once, await fingerprint(file)]).toEqual([again, again]);
    expect([await fingerprint(folder), await fingerprint(`${file}.gone`)]).toEqual([null, null]);
  } finally {
    vi.useRealTimers();
  }
});
