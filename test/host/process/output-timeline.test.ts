import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { arrivalOf, readTimeline, recordTimeline } from '../../../src/host/process/output-timeline.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { newFolder } from '../temporary.js';

/** A growing file under observation; `end` stops it and waits for the last entry. */
async function observed(): Promise<{ file: string; log: string; end: () => Promise<void> }> {
  const folder = await newFolder();
  const [file, log] = [join(folder, 'out'), join(folder, 'growth')];
  let finish!: () => void;
  const recording = recordTimeline(file, log, new Promise<void>((resolve) => (finish = resolve)));
  return { file, log, end: () => (finish(), recording) };
}

const noted = (log: string, bytes: number): Promise<true | null> =>
  waitUntil(async () => ((await readTimeline(log)).some((growth) => growth.bytes === bytes) ? true : null), 60_000, 10);

it('records the size of a file over time, even if the file does not exist at first', async () => {
  const { file, log, end } = await observed();
  const before = Date.now();
  writeFileSync(file, 'first\n');
  expect(await noted(log, 6)).toBe(true);
  appendFileSync(file, 'second\n');
  expect(await noted(log, 13)).toBe(true);
  await end();
  const growth = await readTimeline(log);
  expect(growth.map(({ bytes }) => bytes)).toEqual([6, 13]);
  const [first = 0, second = 0] = growth.map(({ at }) => at);
  expect(before <= first && first < second && second <= Date.now()).toBe(true);
  expect(statSync(log).mode & 0o777).toBe(0o600);
});

it('records what was written right before the end', async () => {
  const { file, log, end } = await observed();
  writeFileSync(file, 'x'.repeat(1000));
  await end();
  expect((await readTimeline(log)).at(-1)?.bytes).toBe(1000);
});

it('continues what an earlier worker has recorded, and ends even if what it waits for fails', async () => {
  const folder = await newFolder();
  const [file, log] = [join(folder, 'out'), join(folder, 'growth')];
  writeFileSync(log, '5 1000\n');
  writeFileSync(file, '12345');
  await recordTimeline(file, log, Promise.reject(new Error('lost')));
  expect(readFileSync(log, 'utf8')).toBe('5 1000\n');
  appendFileSync(file, '678');
  await recordTimeline(file, log, Promise.resolve());
  expect((await readTimeline(log)).map(({ bytes }) => bytes)).toEqual([5, 8]);
});

it('ignores cut and malformed lines, and a missing file', async () => {
  const folder = await newFolder();
  expect(await readTimeline(join(folder, 'none'))).toEqual([]);
  writeFileSync(join(folder, 'growth'), '5 1000\nx y\n\n7\n9 2000\n12');
  expect(await readTimeline(join(folder, 'growth'))).toEqual([
    { bytes: 5, at: 1000 },
    { bytes: 9, at: 2000 },
  ]);
});

it('gives the arrival of the last byte of a line as that of the line', () => {
  const growth = [
    { bytes: 10, at: 100 },
    { bytes: 20, at: 200 },
  ];
  expect([1, 10, 11, 20, 21].map((end) => arrivalOf(end, growth, 999))).toEqual([100, 100, 200, 200, 999]);
});
