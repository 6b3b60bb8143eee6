import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metrics } from '../model/sample.js';
import { newFolder } from '../host/temporary.js';
import { resultsLog } from '../../src/store/results-folder.js';
import { sameResult, sameScenario } from '../../src/store/result-facts.js';
import { openResultsIndex, type ResultsIndex } from '../../src/store/results-index.js';
import { appendLines, appendResult, readResults } from '../../src/store/results-log.js';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { resultLine } from './sample.js';

const result = (id: string, change: Partial<ResultLine> = {}): ResultLine => resultLine({ id, ...change });

async function indexOf(...lines: ResultLine[]) {
  const folder = await newFolder();
  const add = async (line: ResultLine): Promise<void> => appendResult(resultsLog(folder), line);
  for (const line of lines) await add(line);
  return { folder, add, index: openResultsIndex(folder) };
}

/** Replaces the log by one with fewer lines, as `clean` does. */
async function rewriteLog(folder: string, isLeft: (line: ResultLine) => boolean): Promise<void> {
  const log = resultsLog(folder);
  const left = readResults(log).results.filter(isLeft);
  await appendLines(`${log}.new`, () => left.map((line) => JSON.stringify(line)));
  await rename(`${log}.new`, log);
}

it('knows the last result of each cell of a sweep, including those added later', async () => {
  const { add, index } = await indexOf(result('1', { cell: 'a', outcome: 'error' }), result('2', { sweep: 'other' }));
  expect([...index.ofSweep('sweep-1').values()].map(({ id }) => id)).toEqual(['1']);
  await add(result('3', { cell: 'a' }));
  expect([...index.ofSweep('sweep-1').values()].map(({ id }) => id)).toEqual(['3']);
  expect(index.ofSweep('no-such-sweep').size).toBe(0);
});

const keyed = (id: string, change: Partial<ResultLine> = {}): ResultLine =>
  result(id, { cache_key: 'k', results_dir: id, sweep: `sweep of ${id}`, ...change });

it('finds the last run with a cache key that passed or failed, even if its agent gave up', async () => {
  const { folder, add, index } = await indexOf();
  for (const line of [
    keyed('error', { outcome: 'error' }),
    keyed('cached', { cached_from: 'x' }),
    result('other', { cache_key: 'other' }),
  ])
    await add(line);
  expect(index.reusable('k')).toBeNull();
  await add(keyed('failed', { outcome: 'fail' }));
  expect(index.reusable('k')).toMatchObject({ id: 'failed', folder: join(folder, 'failed') });
  await add(keyed('passed'));
  expect(index.reusable('k')?.id).toBe('passed');
  await add(keyed('gave-up', { outcome: 'fail', completed: false }));
  expect(index.reusable('k')?.id).toBe('gave-up');
});

it('does not reuse a run that repeats a result of its cell, no matter what came between', async () => {
  const { folder, add, index } = await indexOf(
    keyed('failed', { sweep: 's', outcome: 'fail' }),
    keyed('error', { sweep: 's', outcome: 'error' }),
    keyed('again', { sweep: 's' }),
    keyed('s/cell-1', { sweep: 't', outcome: 'fail', cached_from: 'failed' }),
    keyed('again in t', { sweep: 't' }),
  );
  expect(index.reusable('k')?.id).toBe('failed');
  expect(['s', 't', 'u'].map((sweep) => index.isDecided(sweep, 'cell-1'))).toEqual([true, true, false]);
  await add(keyed('error in u', { sweep: 'u', outcome: 'error' }));
  expect(index.isDecided('u', 'cell-1')).toBe(false);
  expect(openResultsIndex(folder).reusable('k')?.id).toBe('failed');
});

describe('runs without a result', () => {
  const inS = (id: string, change: Partial<ResultLine> = {}) => keyed(id, { sweep: 's', ...change });
  const error = { outcome: 'error' } as const;
  const next = { sweep: 'next', cell: 'cell-1', inputs: [sameResult('k')], work: null };

  it('are counted for whoever reuses a later result of their cell, or runs the cell in their place', async () => {
    const { add, index } = await indexOf(inS('1', error), inS('2', { outcome: 'cancelled' }));
    expect(index.hiddenBy(next)).toBe(2);
    expect(index.hiddenBy({ ...next, inputs: [sameResult('other')] })).toBe(0);
    await add(inS('3'));
    expect([index.reusable('k')?.id, index.hiddenBy(next)]).toEqual(['3', 2]);
    // Whoever compares the sweep sees them in it.
    expect(index.hiddenBy({ ...next, sweep: 's' })).toBe(0);
  });

  it('are counted through a sweep that ran in place of another', async () => {
    const { add, index } = await indexOf(inS('1', error), keyed('2', { sweep: 't', errors_before: 1 }));
    expect(index.hiddenBy(next)).toBe(1);
    await add(keyed('3', { sweep: 'u', ...error }));
    expect(index.hiddenBy(next)).toBe(2);
  });

  it('do not count if all cells were run again whatever they had shown (--no-cache)', async () => {
    const { index } = await indexOf(inS('1', error), keyed('2', { sweep: 't' }));
    expect(index.hiddenBy(next)).toBe(0);
  });

  it('count if they left no key, because the run was lost or its health check failed, but not if nothing was started', async () => {
    const lost = { ...error, cache_key: null, starts: null, results_dir: null };
    const { add, index } = await indexOf(inS('s/cell-1', { ...lost, starts: 0 }));
    const wanted = { ...next, inputs: [sameResult('k'), sameScenario('cell-1', 'abc')] };
    expect(index.hiddenBy(wanted)).toBe(0);
    await add(inS('s/cell-1', lost));
    expect(index.hiddenBy(wanted)).toBe(1);
  });

  it('are counted for work that is checked again, except the run that did the work', async () => {
    const { add, index } = await indexOf(inS('1', error), inS('2', { ...error, errors_before: 3 }));
    const regraded = { ...next, inputs: [], work: index.line('2') };
    expect(index.hiddenBy(regraded)).toBe(4);
    await add(inS('3', { lost_runs: 1, begun_anew: 1 }));
    expect(index.hiddenBy({ ...regraded, work: index.line('3') })).toBe(4);
  });
});

it('keeps the first random result: running again does not improve it', async () => {
  const { add, index } = await indexOf();
  // A coin that passes in 60 % and otherwise gives up: the first throw is kept, no matter how often it is requested.
  const letters = Array.from({ length: 30 }, (_, at) => (at * 7) % 10 < 6);
  const sweep = async (name: string): Promise<number> => {
    let passed = 0;
    for (const [at, lucky] of letters.entries()) {
      const found = index.reusable(`key ${at}`);
      const pass = found === null ? lucky : found.outcome === 'pass';
      if (pass) passed += 1;
      const outcome = pass ? 'pass' : 'fail';
      const cell = { cell: `cell-${at}`, cache_key: `key ${at}`, sweep: name, completed: pass } as const;
      await add(keyed(`${name}-${at}`, { ...cell, outcome, cached_from: found?.id ?? null }));
    }
    return passed;
  };
  const first = await sweep('first');
  letters.fill(true); // any repeated throw would pass
  expect([await sweep('second'), await sweep('third')]).toEqual([first, first]);
});

it('finds the previous run of a cell, skipping errors and reused results', async () => {
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

it('finds the decided results beside one: the other repetitions in its sweep', async () => {
  const at = (id: string, sweep: string, cell: string, outcome = 'pass'): ReturnType<typeof result> =>
    result(id, { sweep, cell, outcome: outcome as 'pass' });
  const { index } = await indexOf(
    at('1', 's', 'a/x/1'),
    at('2', 's', 'a/x/2', 'fail'),
    at('3', 's', 'a/x/3', 'error'),
    at('4', 's', 'b/x/1'),
    at('5', 't', 'a/x/2'),
  );
  const first = index.previous('a/x/1', 'now');
  expect(first === null ? [] : index.besides(first, 'now').map(({ id }) => id)).toEqual(['2']);
});

it('knows the highest cost of a run of a scenario, agent and model', async () => {
  const who = { scenario: 'scenario', agent: 'mock', model: 'default' };
  const { index } = await indexOf(
    result('1', { cost_usd: 0.2 }),
    result('2', { cost_usd: 0.1 }),
    result('3', { cost_usd: null }),
    result('4', { cost_usd: 5, model: 'other' }),
    result('5', { cost_usd: 9, cached_from: '4' }),
    // Its agent was never started: that it cost nothing says nothing about the next run.
    result('6', { cost_usd: 0, starts: 0, outcome: 'error', model: 'third' }),
  );
  expect(index.highestCost({ ...who, model: 'third' })).toBeNull();
  expect(index.highestCost(who)).toBe(0.2);
  expect(index.highestCost({ ...who, agent: 'none' })).toBeNull();
});

it('adds up the cost of the runs of a cell in a sweep, each once, even if the log was replaced', async () => {
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

it('counts a partly known cost as spent, but does not estimate other costs by it', async () => {
  const { index } = await indexOf(
    result('1', { cost_usd: 0.1 }),
    result('2', { cost_usd: null, cost_usd_at_least: 0.4 }),
  );
  expect(index.spent('sweep-1', 'cell-1')).toBe(0.5);
  expect(index.highestCost({ scenario: 'scenario', agent: 'mock', model: 'default' })).toBe(0.1);
});

it('gives a result as it is in the log, and null for one that is gone', async () => {
  const { folder, add, index } = await indexOf(result('1', { message: 'é' }), result('2'));
  expect(index.line('1')).toEqual(result('1', { message: 'é' }));
  expect(index.line('2')).toEqual(result('2'));
  expect(index.line('3')).toBeNull();
  await rm(resultsLog(folder));
  await add(result('2'));
  expect([index.line('1'), index.line('2')?.id]).toEqual([null, '2']);
});

it('gives all results of a sweep as they are in the log, and of no other sweep', async () => {
  const { folder, add, index } = await indexOf(
    result('other', { sweep: 'other' }),
    result('1', { cell: 'a', outcome: 'fail' }),
    result('2', { cell: 'b', message: 'é' }),
  );
  expect(index.linesOfSweep('none')).toEqual([]);
  await add(result('3', { cell: 'a' }));
  expect(index.linesOfSweep('sweep-1').map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(index.linesOfSweep('sweep-1')[1]).toEqual(result('2', { cell: 'b', message: 'é' }));
  await rm(resultsLog(folder));
  await add(result('3', { cell: 'a' }));
  expect(index.linesOfSweep('sweep-1').map(({ id }) => id)).toEqual(['3']);
});

it('forgets the results that `clean` has removed, and finds those that are left where they are now', async () => {
  const { folder, index } = await indexOf(
    result('1', { cell: 'a', outcome: 'fail', cost_usd: 1 }),
    result('2', { cell: 'b', outcome: 'fail', cost_usd: 2 }),
    result('3', { cell: 'c', outcome: 'fail', cost_usd: 4 }),
  );
  expect(index.linesOfSweep('sweep-1').map(({ id }) => id)).toEqual(['1', '2', '3']);
  await rewriteLog(folder, ({ id }) => id !== '1');
  expect(index.linesOfSweep('sweep-1').map(({ id }) => id)).toEqual(['2', '3']);
  expect([...index.ofSweep('sweep-1').keys()]).toEqual(['b', 'c']);
  expect(['a', 'b'].map((cell) => index.isDecided('sweep-1', cell))).toEqual([false, true]);
  expect(['a', 'b'].map((cell) => index.spent('sweep-1', cell))).toEqual([0, 2]);
  expect(['1', '3'].map((id) => index.line(id)?.id)).toEqual([undefined, '3']);
});

/** All answers about a few sweeps, cells and runs. */
const answersOf = (index: ResultsIndex) => {
  const [sweeps, cells, ids] = [
    ['s', 't'],
    ['a/x/1', 'a/x/2', 'b'],
    ['1', '2', '3'],
  ];
  const who = { scenario: 'scenario', agent: 'mock', model: 'default' };
  return {
    sweeps: sweeps.map((sweep) => ({
      lines: index.linesOfSweep(sweep),
      last: [...index.ofSweep(sweep).values()].map((one) => [one, index.besides(one, '1')]),
      cells: cells.map((cell) => [index.spent(sweep, cell), index.isDecided(sweep, cell)]),
    })),
    previous: cells.map((cell) => index.previous(cell, '1')),
    lines: ids.map((id) => index.line(id)),
    keys: ['k', 'l'].map((key) => index.reusable(key)),
    highest: index.highestCost(who),
    digests: index.digests(),
  };
};

it('answers as if the log were read from the start, whatever is appended to it or removed from it', async () => {
  const line = fc.record({
    id: fc.constantFrom('1', '2', '3'),
    sweep: fc.constantFrom('s', 't'),
    cell: fc.constantFrom('a/x/1', 'a/x/2', 'b'),
    outcome: fc.constantFrom('pass', 'fail', 'error'),
    cache_key: fc.constantFrom(null, 'k', 'l'),
    cached_from: fc.constantFrom(null, null, '2'),
    cost_usd: fc.constantFrom(null, 0.1, 0.2),
    timestamp: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    metrics: fc.constantFrom(null, metrics()),
  });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ append: fc.array(line, { minLength: 1, maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ torn: line }) },
    { weight: 2, arbitrary: fc.record({ isLeft: fc.func(fc.boolean()) }) },
  );
  const folder = await newFolder();
  const log = resultsLog(folder);
  fc.assert(
    fc.property(fc.array(change, { minLength: 3, maxLength: 8 }), (changes) => {
      writeFileSync(log, '');
      const index = openResultsIndex(folder);
      for (const one of changes) {
        if ('append' in one)
          appendFileSync(log, one.append.map((each) => `\n${JSON.stringify(resultLine(each))}\n`).join(''));
        else if ('torn' in one) appendFileSync(log, JSON.stringify(resultLine(one.torn)).slice(0, 90));
        else {
          const left = readResults(log).results.filter((each) => one.isLeft(each.id, each.timestamp));
          writeFileSync(`${log}.new`, left.map((each) => `${JSON.stringify(each)}\n`).join(''));
          renameSync(`${log}.new`, log);
        }
        expect(answersOf(index)).toEqual(answersOf(openResultsIndex(folder)));
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);
