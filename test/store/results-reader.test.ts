import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { appendResult } from '../../src/store/results-log.js';
import { createResultsReader } from '../../src/store/results-reader.js';
import { newLog, resultLine } from './sample.js';

const text = (...ids: string[]): string => ids.map((id) => `${JSON.stringify(resultLine({ id }))}\n`).join('');
const idsOf = (reader: ReturnType<typeof createResultsReader>): string[] => reader.read().map(({ line }) => line.id);

it('gives each line once, after it was written', async () => {
  const log = await newLog();
  const reader = createResultsReader(log);
  expect(idsOf(reader)).toEqual([]);
  await appendResult(log, resultLine({ id: 'a' }));
  await appendResult(log, resultLine({ id: 'b' }));
  expect(idsOf(reader)).toEqual(['a', 'b']);
  expect(idsOf(reader)).toEqual([]);
  await appendResult(log, resultLine({ id: 'c' }));
  expect(idsOf(reader)).toEqual(['c']);
});

it('does not read earlier lines again', async () => {
  const log = await newLog();
  writeFileSync(log, text('a', 'b'));
  const reader = createResultsReader(log);
  reader.read();
  // Changed in place, so that reading it again would be noticed.
  const spoilt = readFileSync(log, 'utf8').replace('"a"', '"X"');
  writeFileSync(log, spoilt + text('c'));
  expect(idsOf(reader)).toEqual(['c']);
});

it('waits for the end of a line that is being written', async () => {
  const log = await newLog();
  const [line] = text('é😀').split('\n');
  const bytes = Buffer.from(`${line}\n`);
  const reader = createResultsReader(log);
  for (const byte of bytes.subarray(0, -1)) appendFileSync(log, Buffer.from([byte]));
  expect(idsOf(reader)).toEqual([]);
  appendFileSync(log, '\n');
  expect(idsOf(reader)).toEqual(['é😀']);
});

it('does not take a line that ends with a carriage return for complete before its newline', async () => {
  const log = await newLog();
  writeFileSync(log, `${text('a').trim()}\r`);
  const reader = createResultsReader(log);
  expect(idsOf(reader)).toEqual([]);
  appendFileSync(log, '\n');
  expect(idsOf(reader)).toEqual(['a']);
});

it('reports once, with their numbers, the lines that are not results', async () => {
  const log = await newLog();
  const corrupt: number[] = [];
  const reader = createResultsReader(log, ({ line }) => corrupt.push(line));
  writeFileSync(log, `${text('a')}garbage\n\n`);
  expect(idsOf(reader)).toEqual(['a']);
  appendFileSync(log, `{}\n${text('b')}`);
  expect(idsOf(reader)).toEqual(['b']);
  expect(corrupt).toEqual([2, 4]);
});

it('reads everything again if the file was replaced or earlier lines were removed', async () => {
  const log = await newLog();
  writeFileSync(log, text('a', 'b'));
  const reader = createResultsReader(log);
  reader.read();
  writeFileSync(`${log}.new`, text('b', 'c'));
  renameSync(`${log}.new`, log);
  expect(idsOf(reader)).toEqual(['b', 'c']);
  writeFileSync(log, text('c'));
  expect(idsOf(reader)).toEqual(['c']);
  rmSync(log);
  expect(idsOf(reader)).toEqual([]);
  writeFileSync(log, text('d'));
  expect(idsOf(reader)).toEqual(['d']);
});

it('throws each time the log cannot be read, instead of taking it for empty, and gives its lines when it can', async () => {
  const log = await newLog();
  writeFileSync(log, text('a'));
  const reader = createResultsReader(log);
  expect(idsOf(reader)).toEqual(['a']);
  renameSync(log, `${log}.away`);
  mkdirSync(log);
  for (const time of [1, 2, 3]) expect(() => reader.read(), String(time)).toThrow('EISDIR');
  rmdirSync(log);
  appendFileSync(`${log}.away`, text('b'));
  renameSync(`${log}.away`, log);
  expect(idsOf(reader)).toContain('b');
});

it('notices a rewritten file that has grown past its old size within the same moment', async () => {
  const log = await newLog();
  writeFileSync(log, text('a', 'b'));
  const reader = createResultsReader(log);
  reader.read();
  const { atime, mtime, size } = statSync(log);
  writeFileSync(log, text('b', 'c', 'd'));
  utimesSync(log, atime, mtime);
  expect(statSync(log).size).toBeGreaterThan(size);
  expect(idsOf(reader)).toEqual(['b', 'c', 'd']);
});

it('gives all complete lines in order, and none twice, no matter where the writes end', async () => {
  const log = await newLog();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 900 })),
      (ids, sizes) => {
        const bytes = Buffer.from(text(...ids));
        rmSync(log, { force: true });
        writeFileSync(log, '');
        const reader = createResultsReader(log);
        const found: string[] = [];
        for (let at = 0; at < bytes.length;) {
          const { value: size } = sizes.next() as { value: number };
          appendFileSync(log, bytes.subarray(at, at + size));
          at += size;
          found.push(...idsOf(reader));
        }
        expect(found).toEqual(ids);
        return Promise.resolve();
      },
    ),
    { numRuns: 40 },
  );
});
