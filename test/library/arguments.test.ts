import { expect, test } from 'vitest';
import { compareSweeps, readRun, readSweep, ResultsError, type CompareOptions } from '../../src/library/index.js';

const wrong = (value: unknown): string => value as string;

test.each<[string, () => Promise<unknown>, RegExp]>([
  ['no results folder', () => readSweep(wrong(undefined)), /^results: expected a text, got undefined$/],
  ['a number as a sweep', () => readSweep('results', wrong(4)), /^sweep: expected a text, got number$/],
  ['null as a run', () => readRun('results', wrong(null)), /^run: expected a text, got null$/],
  ['a run without a folder', () => readRun('results', {} as { results_dir: null }), /^run\.results_dir: /],
  ['no sweep', () => compareSweeps(wrong(undefined), 'b', { results: 'r' }), /^before: expected a text/],
  ['an empty folder', () => compareSweeps('a', 'b', { results: '' }), /^results: .* an empty text$/],
  ['no options', () => compareSweeps('a', 'b', {} as CompareOptions), /^results: expected a text/],
])('%s is refused with a ResultsError', async (_name, call, says) => {
  const error = await call().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ResultsError);
  expect(error).toMatchObject({ code: 'usage', message: expect.stringMatching(says) as string });
});
