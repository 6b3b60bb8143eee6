import { existsSync, appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { appendLines, appendResult, readResults } from '../../src/store/results-log.js';
import { compileSources } from '../host/compiled.js';
import { newFolder } from '../host/temporary.js';
import { gate, metrics } from '../model/sample.js';
import { resultLine } from './sample.js';

const compiled = await compileSources();

const result = (id: string, changes: Partial<ResultLine> = {}): ResultLine => resultLine({ id, ...changes });

const newLog = async (): Promise<string> => join(await newFolder(), 'results.jsonl');

it('appends nothing if the results folder was moved away, so that it can be put back', async () => {
  const folder = join(await newFolder(), 'moved');
  await expect(appendResult(join(folder, 'results.jsonl'), result('a'))).rejects.toThrow(/ENOENT/);
  expect(existsSync(folder)).toBe(false);
});

it('returns what was appended, in the order written', async () => {
  const log = await newLog();
  const lines = [result('a'), result('b', { cost_usd: 0.25, outcome: 'error' }), result('a', { outcome: 'fail' })];
  for (const line of lines) await appendResult(log, line);
  expect(readResults(log)).toEqual({ results: lines, corrupt: [] });
  expect(readFileSync(log, 'utf8').split('\n')).toHaveLength(4);
});

it('asks at the last moment which lines are lacking, so that nothing is written twice', async () => {
  const log = await newLog();
  const lacking = (): string[] =>
    readResults(log).results.some(({ id }) => id === 'a') ? [] : [JSON.stringify(result('a'))];
  await Promise.all([appendLines(log, lacking), appendLines(log, lacking), appendLines(log, lacking)]);
  expect(readResults(log).results.map(({ id }) => id)).toEqual(['a']);
});

it('is empty if there is no file', async () => {
  expect(readResults(await newLog())).toEqual({ results: [], corrupt: [] });
});

it('throws if the file cannot be read', async () => {
  const log = await newLog();
  mkdirSync(log, { recursive: true });
  expect(() => readResults(log)).toThrow('EISDIR');
});

it.each(['new\nline', 'U+2028 \u2028 U+2029 \u2029', '\r', '\u0085', '"quoted" \\', '\0', '😀', '\uD800'])(
  'reads back a message with %j without loss',
  async (message) => {
    const log = await newLog();
    await appendResult(log, result('a', { message }));
    await appendResult(log, result('b'));
    const { results, corrupt } = readResults(log);
    expect(corrupt).toEqual([]);
    expect(results.map((line) => line.message)).toEqual([message, 'all gates passed']);
  },
);

it('keeps concurrently appended lines whole', async () => {
  const log = await newLog();
  const ids = Array.from({ length: 60 }, (_, n) => `run-${n}`);
  await Promise.all(ids.map((id) => appendResult(log, result(id, { message: 'm'.repeat(20_000) }))));
  const { results, corrupt } = readResults(log);
  expect(corrupt).toEqual([]);
  expect(results.map(({ id }) => id).sort()).toEqual(ids.sort());
});

it('keeps lines whole that several processes append concurrently, even lines of megabytes', async () => {
  const log = await newLog();
  const appender = compiled.program(`
    import { appendResult } from './store/results-log.js';
    const [log, name, line] = process.argv.slice(2);
    for (let n = 0; n < 15; n++) {
      const message = name.repeat(n % 3 === 0 ? 2_000_000 : 3000);
      await appendResult(log, { ...JSON.parse(line), id: name + n, message });
    }`);
  const names = ['a', 'b', 'c', 'd'];
  const ends = await Promise.all(names.map((name) => compiled.run(appender, [log, name, JSON.stringify(result('x'))])));
  expect(ends.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
  const { results, corrupt } = readResults(log);
  expect(corrupt).toEqual([]);
  expect(results).toHaveLength(60);
  for (const { id, message } of results) expect(message === (id[0] ?? '').repeat(message.length)).toBe(true);
});

it('loses only the last line if that was cut', async () => {
  const log = await newLog();
  await appendResult(log, result('whole'));
  await appendResult(log, result('cut'));
  truncateSync(log, readFileSync(log).length - 20);
  await appendResult(log, result('after'));
  await appendResult(log, result('later'));
  const { results, corrupt } = readResults(log);
  expect(results.map(({ id }) => id)).toEqual(['whole', 'after', 'later']);
  expect(corrupt).toEqual([{ line: 2, reason: 'not JSON' }]);
});

it('keeps a last line that lacks only its newline', async () => {
  const log = await newLog();
  await appendResult(log, result('a'));
  truncateSync(log, readFileSync(log).length - 1);
  await appendResult(log, result('b'));
  expect(readResults(log).results.map(({ id }) => id)).toEqual(['a', 'b']);
});

it('skips invalid lines, and reports their numbers and the reasons', async () => {
  const log = await newLog();
  await appendResult(log, result('a'));
  appendFileSync(log, 'garbage\n\n{}\n[]\n');
  appendFileSync(log, `${JSON.stringify({ ...result('b'), outcome: 'great' })}\n`);
  appendFileSync(log, `${JSON.stringify({ ...result('c'), schema_version: 99 })}\n`);
  await appendResult(log, result('d'));
  const { results, corrupt } = readResults(log);
  expect(results.map(({ id }) => id)).toEqual(['a', 'd']);
  expect(corrupt.map(({ line }) => line)).toEqual([2, 4, 5, 6, 7]);
  expect(corrupt.map(({ reason }) => reason)).toEqual([
    'not JSON',
    expect.stringContaining('schema_version'),
    expect.stringContaining('object'),
    expect.stringContaining('outcome'),
    expect.stringMatching(/^schema_version: this build reads schema_version 1, not 99; use the release/),
  ]);
});

it('loses only the line that is nested too deeply', async () => {
  const log = await newLog();
  await appendResult(log, result('a'));
  const deep = { ...result('deep'), metrics: metrics({ details: [gate({ detail: 'DEEP' })] }) };
  const nested = '['.repeat(50_000) + ']'.repeat(50_000);
  appendFileSync(log, JSON.stringify(deep).replace('"DEEP"', nested) + '\n');
  await appendResult(log, result('b'));
  const { results, corrupt } = readResults(log);
  expect(results.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(corrupt).toEqual([{ line: 2, reason: 'metrics.details.0.detail: nested too deeply' }]);
});

it('ignores unknown fields of a line', async () => {
  const log = await newLog();
  await appendResult(log, result('a'));
  appendFileSync(log, `${JSON.stringify({ ...result('b'), later_field: 1 })}\n`);
  expect(readResults(log).results).toEqual([result('a'), result('b')]);
});

it('loses only one line to zero bytes from a power failure', async () => {
  const log = await newLog();
  await appendResult(log, result('a'));
  writeFileSync(log, Buffer.concat([readFileSync(log), Buffer.alloc(4096)]));
  await appendResult(log, result('b'));
  const { results, corrupt } = readResults(log);
  expect(results.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(corrupt).toHaveLength(1);
});
