import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { mergeResults } from '../../src/store/merge-results.js';
import { resultLine } from './sample.js';

const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-merge-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const at = (...names: string[]): string => join(folder, ...names);
const write = (path: string, text: string): void => {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
};
const read = (path: string): string => readFileSync(at(path), 'utf8');
const line = (run: string): string => `${JSON.stringify(resultLine({ id: run, results_dir: run }))}\n`;

/** A results folder with a sweep of two runs. */
function results(name: string, runs: readonly string[]): void {
  for (const run of runs) write(`${name}/${run}/metrics.json`, `of ${run}`);
  write(`${name}/.store/abc/scenario.json`, '{}');
  write(`${name}/sweeps/${name}/plan.json`, name);
  write(`${name}/results.jsonl`, runs.map(line).join(''));
}

beforeEach(() => {
  for (const name of ['one', 'two', 'into']) rmSync(at(name), { recursive: true, force: true });
  mkdirSync(at('into'));
  results('one', ['a', 'b']);
  results('two', ['c']);
});

test('copies sweeps, runs, snapshots and lines of several folders', async () => {
  expect(await mergeResults(at('into'), at('one'))).toEqual({ sweeps: 1, runs: 2, corrupt: [] });
  expect(await mergeResults(at('into'), at('two'))).toEqual({ sweeps: 1, runs: 1, corrupt: [] });
  expect(read('into/results.jsonl')).toBe(['a', 'b', 'c'].map(line).join(''));
  expect(['a', 'b', 'c'].map((run) => read(`into/${run}/metrics.json`))).toEqual(['of a', 'of b', 'of c']);
  expect([read('into/sweeps/one/plan.json'), read('into/sweeps/two/plan.json')]).toEqual(['one', 'two']);
  expect(read('into/.store/abc/scenario.json')).toBe('{}');
});

test('copies nothing twice, and leaves as it is what is there already', async () => {
  await mergeResults(at('into'), at('one'));
  write('into/a/metrics.json', 'reviewed');
  expect(await mergeResults(at('into'), at('one'))).toEqual({ sweeps: 0, runs: 0, corrupt: [] });
  expect(read('into/a/metrics.json')).toBe('reviewed');
  expect(read('into/results.jsonl')).toBe(line('a') + line('b'));
});

test('finishes what an interrupted merge has begun', async () => {
  // The folders of runs come before their lines.
  write('into/a/metrics.json', 'of a');
  expect(await mergeResults(at('into'), at('one'))).toMatchObject({ sweeps: 1, runs: 2 });
  expect(read('into/results.jsonl')).toBe(line('a') + line('b'));
});

test('does not copy lines that are no results, or whose run would be outside of the folder', async () => {
  write('outside/metrics.json', 'secret');
  write('one/results.jsonl', `${line('a')}{"half\n\n${line('../outside')}`);
  expect(await mergeResults(at('into'), at('one'))).toEqual({
    sweeps: 1,
    runs: 1,
    corrupt: [
      { line: 2, reason: 'not JSON' },
      { line: 4, reason: `results_dir is '../outside', not a folder of these results` },
    ],
  });
  expect(read('into/results.jsonl')).toBe(line('a'));
});
