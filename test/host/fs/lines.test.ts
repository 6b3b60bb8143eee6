import fc from 'fast-check';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesOf, type Line } from '../../../src/host/fs/read-file.js';
import { newFolder } from '../temporary.js';

const CHUNK = 256 * 1024;
const LIMIT = 4 * 1024 * 1024;

async function read(content: string | Buffer): Promise<Line[]> {
  const path = join(await newFolder(), 'file');
  writeFileSync(path, content);
  return [...linesOf(path)];
}

/** The expected result of linesOf for content without overlong lines. */
function expected(content: Buffer): Line[] {
  const lines: Line[] = [];
  let from = 0;
  while (from < content.length) {
    const newline = content.indexOf(10, from);
    const to = newline === -1 ? content.length : newline;
    const end = newline === -1 ? to : to + 1;
    lines.push({
      text: content.subarray(from, to).toString('utf8').replace(/\r$/, ''),
      end,
      whole: newline !== -1,
      cut: false,
    });
    from = end;
  }
  return lines;
}

it.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\nb', ['a', 'b']],
  ['\n\n', ['', '']],
  ['a\r\nb\rc\r\n', ['a', 'b\rc']],
  ['é\u2028ü\u0085x\n', ['é\u2028ü\u0085x']],
])('the lines of %j are %j', async (content, lines) => {
  expect((await read(content)).map(({ text }) => text)).toEqual(lines);
});

it('says where each line ends, in bytes', async () => {
  expect(await read('é\r\n\n😀')).toEqual([
    { text: 'é', end: 4, whole: true, cut: false },
    { text: '', end: 5, whole: true, cut: false },
    { text: '😀', end: 9, whole: false, cut: false },
  ]);
});

it('continues from the start of a line', async () => {
  const path = join(await newFolder(), 'file');
  writeFileSync(path, 'a\né\nb');
  const [first] = linesOf(path);
  expect([...linesOf(path, LIMIT, first?.end)].map(({ text, end }) => ({ text, end }))).toEqual([
    { text: 'é', end: 5 },
    { text: 'b', end: 6 },
  ]);
});

it('keeps a cut character at the end of a line in that line', async () => {
  const content = Buffer.concat([Buffer.from('{"a":1} \xF0\x9F', 'latin1'), Buffer.from('\n{"b":2}\n')]);
  expect((await read(content)).map(({ text }) => text)).toEqual(['{"a":1} \uFFFD', '{"b":2}']);
});

it('equals a split at newlines, for any text and any borders of chunks', async () => {
  const path = join(await newFolder(), 'file');
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.constantFrom('\n', '\r\n', '\n\n', '😀', 'é').map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
  );
  const padding = fc
    .integer({ min: -12, max: 12 })
    .chain((shift) => fc.constantFrom(0, CHUNK, 2 * CHUNK).map((at) => Buffer.alloc(Math.max(0, at + shift), 'x')));
  fc.assert(
    fc.property(padding, fc.array(piece, { maxLength: 30 }), (before, pieces) => {
      const content = Buffer.concat([before, ...pieces]);
      writeFileSync(path, content);
      expect([...linesOf(path)]).toEqual(expected(content));
    }),
    { numRuns: 300 },
  );
});

it.each([LIMIT + 1, LIMIT + CHUNK, 3 * LIMIT + 5])('cuts a line of %i characters and says so', async (length) => {
  const lines = await read(`before\n${'x'.repeat(length)}\nafter\n`);
  expect(lines.map(({ text }) => text.length)).toEqual([6, LIMIT + '… [line cut]'.length, 5]);
  expect(lines[1]?.text.endsWith('x… [line cut]')).toBe(true);
  expect(lines[1]?.cut).toBe(true);
  expect(lines[2]).toEqual({ text: 'after', whole: true, cut: false, end: 7 + length + 1 + 6 });
});

it.each([LIMIT - 1, LIMIT])('keeps a line of %i characters whole', async (length) => {
  expect((await read('x'.repeat(length)))[0]?.text.length).toBe(length);
});

it('marks a cut line even if the dropped part fills whole chunks of the file', async () => {
  const [line] = await read(`${'x'.repeat(LIMIT + CHUNK)}\n`);
  expect(line?.text.endsWith(' [line cut]')).toBe(true);
});

it('needs no more memory for a longer line', async () => {
  const path = join(await newFolder(), 'file');
  writeFileSync(path, Buffer.alloc(150 * 1024 * 1024, 'x'));
  const before = process.memoryUsage().rss;
  const [line] = [...linesOf(path)];
  expect(line?.end).toBe(150 * 1024 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

it('closes the file even if it is not read to its end', async () => {
  const path = join(await newFolder(), 'file');
  writeFileSync(path, 'a\nb\n');
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (const { text } of linesOf(path)) if (text === 'a') break;
  expect(open()).toBe(before);
});
