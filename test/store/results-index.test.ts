import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { metrics } from '../reports/sample.js';
import { newFolder } from '../platform/temporary.js';
import { resultsLog } from '../../src/store/results-folder.js';
import { createResultsIndex } from '../../src/store/results-index.js';
import { appendResult } from '../../src/store/results-log.js';
import type { ResultLine } from '../../src/results/schema.js';
import { resultLine } from './sample.js';

const result = (id: string, change: Partial<ResultLine> = {}): ResultLine => resultLine({ id, ...change });

async function indexOf(...lines: ResultLine[]) {
  const folder = await newFolder();
  const add = async (line: ResultLine): Promise<void> => appendResult(resultsLog(folder), line);
  for (const line of lines) await add(line);
  return { folder, add, index: createResultsIndex(folder) };
}

it('knows the last result of each cell of a sweep, also those that came after it was made', async () => {
  const { add, index } = await indexOf(
    result('1', { cell: 'a', outcome: 'error' }),
    result('2', { sweep: 'other' }),
  );
  expect([...index.ofSweep('sweep-1').values()].map(({ id }) => id)).toEqual(['1']);
  await add(result('3', { cell: 'a' }));
  expect([...index.ofSweep('sweep-1').values()].map(({ id }) => id)).toEqual(['3']);
  expect(index.ofSweep('no-such-sweep').size).toBe(0);
});

it('finds the last completed run with a cache key that passed or failed', async () => {
  const { folder, add, index } = await indexOf();
  const keyed = (id: string, change: Partial<ResultLine> = {}): ResultLine =>
    result(id, { cache_key: 'k', results_dir: id, ...change });
  for (const line of [
    keyed('error', { outcome: 'error' }),
    keyed('gave-up', { completed: false }),
    keyed('cached', { cached_from: 'x' }),
    result('other', { cache_key: 'other' }),
  ])
    await add(line);
  expect(index.reusable('k')).toBeNull();
  await add(keyed('failed', { outcome: 'fail' }));
  expect(index.reusable('k')).toMatchObject({ id: 'failed', files: { folder: join(folder, 'failed') } });
  await add(keyed('passed'));
  expect(index.reusable('k')?.id).toBe('passed');
});

it('finds the run of a cell before another one, passing over what decided nothing', async () => {
  const { index } = await indexOf(
    result('1', { metrics: metrics({ composite_score: 0.5 }) }),
    result('2', { outcome: 'error' }),
    result('3', { cached_from: '1' }),
    result('4', { outcome: 'fail' }),
  );
  expect(index.previous('cell-1', '4')).toMatchObject({ id: '1', composite_score: 0.5 });
  expect(index.previous('cell-1', '5')?.id).toBe('4');
  expect(index.previous('cell-2', '5')).toBeNull();
});

it('knows the most that a run of a scenario, agent and model has cost', async () => {
  const who = { scenario: 'scenario', agent: 'mock', model: 'default' };
  const { index } = await indexOf(
    result('1', { cost_usd: 0.2 }),
    result('2', { cost_usd: 0.1 }),
    result('3', { cost_usd: null }),
    result('4', { cost_usd: 5, model: 'other' }),
    result('5', { cost_usd: 9, cached_from: '4' }),
  );
  expect(index.highestCost(who)).toBe(0.2);
  expect(index.highestCost({ ...who, agent: 'none' })).toBeNull();
});

it('sums what the runs of a cell have cost in a sweep, each once, also when the log was replaced', async () => {
  const { folder, add, index } = await indexOf(
    result('1', { cost_usd: 0.1 }),
    result('1', { cost_usd: 0.1 }),
    result('2', { cost_usd: 0.2 }),
    result('3', { cost_usd: null }),
    result('4', { cost_usd: 5, cached_from: '1' }),
    result('5', { cost_usd: 7, sweep: 'other' }),
  );
  expect(index.spent('sweep-1', 'cell-1')).toBe(0.3);
  expect(index.spent('sweep-1', 'cell-2')).toBe(0);
  await rm(resultsLog(folder));
  for (const id of ['1', '2']) await add(result(id, { cost_usd: 0.1 }));
  expect(index.spent('sweep-1', 'cell-1')).toBe(0.2);
});

it('gives a result as it stands in the log, and null for one that is gone', async () => {
  const { folder, add, index } = await indexOf(result('1', { message: 'é' }), result('2'));
  expect(index.line('1')).toEqual(result('1', { message: 'é' }));
  expect(index.line('2')).toEqual(result('2'));
  expect(index.line('3')).toBeNull();
  await rm(resultsLog(folder));
  await add(result('2'));
  expect([index.line('1'), index.line('2')?.id]).toEqual([null, '2']);
});
