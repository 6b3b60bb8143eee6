import { describe, expect, test } from 'vitest';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import { Comparison } from '../../../src/decide/comparison/document.js';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { armsOf } from '../../../src/decide/comparison/arms.js';
import { gate, metrics } from '../../model/sample.js';
import { sweepOf, type Outcomes } from './sample.js';

const compare = (base: SweepToCompare, head: SweepToCompare): Comparison =>
  Comparison.parse(compareSweeps(base, head, new Map()));

describe('the verdict', () => {
  test.each([
    ['pppppp', 'pfffff', 'worse'],
    ['pfffff', 'pppppp', 'better'],
    ['pppppp', 'pppppf', 'no difference shown'],
    ['ppp', 'fff', 'worse'],
    ['pp', 'ff', 'too few runs'],
    ['ppp', 'ece', 'nothing to compare'],
    ['ppp', '...', 'nothing to compare'],
  ])('of %s and %s is %s', (before, after, verdict) => {
    const { verdict: found, configurations } = compare(sweepOf('a', { notes: before }), sweepOf('b', { notes: after }));
    expect([found, configurations[0]?.verdict]).toEqual([verdict, verdict]);
  });

  test('is about all configurations together, even if none of them shows a difference on its own', () => {
    const result = compare(
      sweepOf('a', { x: 'ppp', y: 'ppp', z: 'ppp' }),
      sweepOf('b', { x: 'fff', y: 'fff', z: 'ppf' }),
    );
    expect(result.verdict).toBe('worse');
    expect(result.configurations.map(({ verdict }) => verdict)).toEqual([
      'too few runs',
      'too few runs',
      'too few runs',
    ]);
    expect(result.total).toMatchObject({ base: { passed: 9, tested: 9 }, head: { passed: 2, tested: 9 } });
    expect(result.total.base.interval).toBeNull();
  });

  test('of one of many configurations allows for those that could have differed by chance', () => {
    const one = (same: Outcomes) =>
      compare(sweepOf('a', { a: 'pppp', ...same }), sweepOf('b', { a: 'ffff', ...same })).configurations[0];
    const [certain, mixed] = ['pppp', 'ppff'].map((runs) => one({ b: runs, c: runs, d: runs }));
    expect(certain).toMatchObject({ verdict: 'worse' });
    expect(mixed?.p).toBe(certain?.p);
    expect(mixed?.adjusted_p).toBeGreaterThan(certain?.adjusted_p ?? 1);
  });

  test('of ten configurations that all fell as far as possible is never "no difference shown"', () => {
    const names = Array.from('abcdefghij');
    const all = (runs: string): Outcomes => Object.fromEntries(names.map((name) => [name, runs]));
    const verdicts = (before: string, after: string) =>
      new Set(
        compare(sweepOf('a', all(before)), sweepOf('b', all(after))).configurations.map(({ verdict }) => verdict),
      );
    expect(verdicts('ppp', 'fff')).toEqual(new Set(['too few runs']));
    expect(verdicts('pppppppp', 'ffffffff')).toEqual(new Set(['worse']));
  });

  test('weighs configurations alike, so that different numbers of runs cannot reverse it', () => {
    const runs = (passed: number, failed: number) => 'p'.repeat(passed) + 'f'.repeat(failed);
    const { verdict, total } = compare(
      sweepOf('a', { easy: runs(36, 4), hard: runs(1, 9) }),
      sweepOf('b', { easy: runs(10, 0), hard: runs(20, 20) }),
    );
    // Simpson: better in both, while 37 of 50 passed before and 30 of 50 now.
    expect(verdict).toBe('better');
    expect(total).toMatchObject({ base: { passed: 37, tested: 50 }, head: { passed: 30, tested: 50 } });
    expect(total.base.rate).toBeCloseTo(0.5, 12);
    expect(total.head.rate).toBeCloseTo(0.75, 12);
    expect(total.difference).toBeCloseTo(0.25, 12);
  });

  test('gives each configuration its own p even if others cannot be tested', () => {
    const { configurations } = compare(
      sweepOf('a', { a: 'pppppp', b: 'eee', c: 'pp' }),
      sweepOf('b', { a: 'ffffff', b: 'ppp', c: 'pp' }),
    );
    expect(configurations.map(({ adjusted_p: p }) => p === null)).toEqual([false, true, false]);
    expect(configurations.map(({ verdict }) => verdict)).toEqual(['worse', 'nothing to compare', 'too few runs']);
  });
});

describe('what counts as a run', () => {
  test('a passed or failed one; errors, cancelled runs and cells without a result are counted separately', () => {
    const { configurations, total } = compare(sweepOf('a', { notes: 'ppfe' }), sweepOf('b', { notes: 'pfec..' }));
    expect(configurations[0]?.base).toMatchObject({
      passed: 2,
      tested: 3,
      errored: 1,
      cancelled: 0,
      waiting: 0,
    });
    expect(configurations[0]?.head).toMatchObject({
      passed: 1,
      tested: 2,
      errored: 1,
      cancelled: 1,
      waiting: 2,
    });
    expect(total.head).toMatchObject({ tested: 2, errored: 1, cancelled: 1, waiting: 2 });
  });

  test('one in which something was checked, and the comparison says how many were not', () => {
    const unchecked = (): Partial<ResultLine> => ({ unchecked: true });
    const result = compare(sweepOf('a', { notes: 'fff' }), sweepOf('b', { notes: 'ppp' }, unchecked));
    expect(result.verdict).toBe('nothing to compare');
    expect(result.total.head).toMatchObject({ passed: 0, tested: 0, rate: null });
    expect(result.doubts).toContain('head: 3 runs checked nothing (no gates and no judge), and count in no rate');
  });

  test('runs of a configuration without a counterpart are not part of the total', () => {
    const { total } = compare(sweepOf('a', { x: 'pppp', y: 'ffff' }), sweepOf('b', { x: 'pppp', y: 'eeee' }));
    expect(total.base).toMatchObject({ passed: 4, tested: 4 });
    expect(total.head).toMatchObject({ passed: 4, tested: 4, errored: 4 });
  });

  test('the first line of a cell that passed or failed; later ones are counted separately', () => {
    const head = sweepOf('b', { notes: 'ffff' });
    const again = head.lines.map((line) => ({ ...line, id: `${line.id}-again`, outcome: 'pass' as const }));
    const result = compare(sweepOf('a', { notes: 'pppp' }), { ...head, lines: [...head.lines, ...again] });
    expect(result.total.head).toMatchObject({ passed: 0, tested: 4, retried: 4 });
    expect(result.doubts).toEqual([
      'head: 4 cells had a result and ran again (retry --failed), and 4 of them then passed; the first result counts',
    ]);
    const untested = sweepOf('b', { notes: 'eeec' });
    const later = compare(sweepOf('a', { notes: 'pppp' }), { ...head, lines: [...untested.lines, ...again] });
    expect(later.total.head).toMatchObject({ passed: 4, tested: 4, retried: 0, errored: 0, cancelled: 0 });
    expect(later.doubts).toEqual([]);
    const twice = compare(sweepOf('a', { notes: 'pppp' }), {
      ...head,
      lines: [...head.lines, ...head.lines],
    });
    expect(twice.doubts).toEqual([]);
  });

  test('one of a cell that had ended with an error, whose first outcome is unknown', () => {
    const redone = (head: SweepToCompare) => compare(sweepOf('a', { notes: 'pppppp' }), head).total.head.after_errors;
    const sweep = sweepOf('b', { notes: 'ppfPFF' });
    expect(redone(sweep)).toBe(3);
    // Lines that a step has written twice, and cells that the budget kept from being started, hide nothing.
    expect(redone({ ...sweep, lines: sweep.lines.flatMap((line) => [line, line]) })).toBe(3);
    const unstarted = { results_dir: null, starts: 0 };
    const lines = sweep.lines.map((line) => (line.outcome === 'error' ? { ...line, ...unstarted } : line));
    expect(redone({ ...sweep, lines })).toBe(0);
    const cancelled = sweep.lines.map((line) =>
      line.outcome === 'error' ? { ...line, outcome: 'cancelled' as const } : line,
    );
    expect(redone({ ...sweep, lines: cancelled })).toBe(3);
    for (const hidden of [{ lost_runs: 1 }, { begun_anew: 1 }])
      expect(redone(sweepOf('b', { notes: 'ppf' }, (_, n) => (n === 2 ? hidden : {})))).toBe(1);
  });

  test('for a later sweep that it is the base of, with its errors and without cells that were never started', () => {
    const sweep = sweepOf('a', { notes: 'pfePc.e' });
    const unstarted = { results_dir: null, starts: 0 };
    const lines = sweep.lines.map((line) => (line.cell.endsWith('/7') ? { ...line, ...unstarted } : line));
    const [arm] = armsOf({ ...sweep, lines }, () => false, { alpha: 0.05 }).values();
    expect(arm?.runs.map(({ outcome, after_errors }) => `${outcome}${after_errors ? ' after errors' : ''}`)).toEqual([
      'pass',
      'fail',
      'null',
      'pass after errors',
      'null',
    ]);
  });

  test('one that was reused brings the errors of its cell along, and those that a reuse passed over count', () => {
    const redone = (change: (repetition: number) => Partial<ResultLine>) =>
      compare(
        sweepOf('a', { notes: 'pppppp' }),
        sweepOf('b', { notes: 'pppfff' }, (_, n) => change(n)),
      ).total.head;
    const reused = (n: number) => ({ cached_from: `old-${n}` });
    const regraded = (n: number) => ({ regraded_from: { run: `old-${n}`, outcome: null, paid_usd: 0 } });
    for (const from of [reused, regraded])
      expect(redone((n) => ({ ...from(n), ...(n > 4 ? { errors_before: 1 } : {}) }))).toMatchObject({
        after_errors: 2,
        passed_after_errors: 0,
      });
    // Cells 5 and 6 were run, because they had ended with errors where the others were reused from.
    expect(redone((n) => (n > 4 ? { errors_before: 1 } : reused(n)))).toMatchObject({ after_errors: 2 });
    // Nothing was reused: all runs are new.
    expect(redone((n) => (n > 4 ? { errors_before: 1 } : {}))).toMatchObject({ after_errors: 0 });
  });

  const reuse =
    (from: string) =>
    (scenario: string, repetition: number): Partial<ResultLine> =>
      repetition > 3 ? {} : { cached_from: `${from}-${scenario}-${repetition}` };

  test('one that head has reused from base counts only in base', () => {
    const result = compare(sweepOf('a', { notes: 'ppp' }), sweepOf('b', { notes: 'pppffff' }, reuse('a')));
    expect(result.total.base).toMatchObject({ passed: 3, tested: 3, shared: 0 });
    expect(result.total.head).toMatchObject({ passed: 0, tested: 4, shared: 3, reused: 0 });
    const other = compare(sweepOf('b', { notes: 'pppffff' }, reuse('a')), sweepOf('a', { notes: 'ppp' }));
    expect(other.total.p).toBe(result.total.p);
  });
  test('one that both have reused from a third sweep counts in neither', () => {
    const { total } = compare(
      sweepOf('a', { notes: 'ppppp' }, reuse('old')),
      sweepOf('b', { notes: 'pppff' }, reuse('old')),
    );
    expect(total.base).toMatchObject({ passed: 2, tested: 2, shared: 3 });
    expect(total.head).toMatchObject({ passed: 0, tested: 2, shared: 3 });
  });
  test('one that only head has reused from a third sweep counts, and is reported as reused', () => {
    const { total } = compare(sweepOf('a', { notes: 'ppp' }), sweepOf('b', { notes: 'pppf' }, reuse('old')));
    expect(total.head).toMatchObject({ passed: 3, tested: 4, reused: 3, shared: 0 });
  });
  test('one that head has reused from a retry in base counts nowhere', () => {
    const base = sweepOf('a', { notes: 'fff' });
    const again = base.lines.map((line) => ({ ...line, id: `${line.id}-again`, outcome: 'pass' as const }));
    const head = sweepOf('b', { notes: 'ppp' }, (name, n) => ({ cached_from: `a-${name}-${n}-again` }));
    const { total } = compare({ ...base, lines: [...base.lines, ...again] }, head);
    expect(total.head).toMatchObject({ tested: 0, shared: 3 });
  });
  test('one that is the result of two cells of a sweep counts once', () => {
    const head = sweepOf('b', { notes: 'pppp' }, () => ({ cached_from: 'old' }));
    const { total } = compare(sweepOf('a', { notes: 'pppp' }), head);
    expect(total.head).toMatchObject({ passed: 1, tested: 1, shared: 3 });
  });
  test('with the same runs on both sides there is nothing to compare', () => {
    const result = compare(sweepOf('a', { notes: 'ppp' }), sweepOf('b', { notes: 'ppp' }, reuse('a')));
    expect(result).toMatchObject({ verdict: 'nothing to compare', total: { p: null, head: { shared: 3 } } });
  });
});

test('calls a configuration flaky if runs of the same build have passed and failed', () => {
  const builds = (...names: string[]) =>
    sweepOf('a', { x: 'ppff' }, (_, n) => ({ target_fingerprint: names[n - 1] ?? 'new' }));
  const flaky = (base: SweepToCompare) => compare(base, sweepOf('b', { x: 'pppp' })).total;
  expect(flaky(builds())).toMatchObject({ base: { flaky: 1 }, head: { flaky: 0 } });
  expect(flaky(builds('old', 'old'))).toMatchObject({ base: { flaky: 0 } });
});

test('lists configurations that only one sweep has, and leaves them out', () => {
  const result = compare(sweepOf('a', { x: 'pp', y: 'ff' }), sweepOf('b', { x: 'pp', z: 'ff' }));
  expect(result.configurations.map(({ scenario }) => scenario)).toEqual(['x']);
  expect(result.only_in_base.map(({ scenario }) => scenario)).toEqual(['y']);
  expect(result.only_in_head.map(({ scenario }) => scenario)).toEqual(['z']);
  expect(result.total.head.tested).toBe(2);
});

describe('the measures of runs', () => {
  const measure = (result: Comparison, name: string) => result.total.measures.find((one) => one.name === name);

  test('are means over all tested runs, and the cost per pass', () => {
    const costs = [0.5, null, 0.1, 9];
    const secs = [1, 2, 10, 99];
    const of = (_: string, n: number) => ({
      cost_usd: costs[n - 1] ?? null,
      duration_secs: secs[n - 1] ?? null,
    });
    const result = compare(sweepOf('a', { notes: 'pppf' }, of), sweepOf('b', { notes: 'ffff' }, of));
    expect(measure(result, 'cost_usd')).toMatchObject({ of: 'mean', base: { runs: 3 }, head: { runs: 3 } });
    expect(measure(result, 'cost_usd')?.base.value).toBeCloseTo(3.2, 12);
    expect(measure(result, 'cost_per_pass_usd')?.base).toEqual({ value: null, runs: 3 });
    expect(measure(result, 'duration_secs')?.base).toEqual({ value: 28, runs: 4 });
    expect(measure(result, 'duration_secs')?.effect).toMatchObject({ kind: 'ratio', value: 1 });
    expect(measure(result, 'judge_score')).toBeUndefined();
  });

  test('change as the means that are shown do, with the same weight for each configuration', () => {
    // One dear run more than before: the mean rises, while most runs got cheaper.
    const before = (scenario: string) => ({ cost_usd: scenario === 'dear' ? 10 : 1 });
    const now = (scenario: string, n: number) => ({
      cost_usd: scenario === 'dear' ? (n === 1 ? 50 : 9) : 0.9,
    });
    const result = compare(
      sweepOf('a', { dear: 'pppp', cheap: 'pp' }, before),
      sweepOf('b', { dear: 'pppp', cheap: 'ppppffff' }, now),
    );
    const { base, head, effect } = measure(result, 'cost_usd') ?? {};
    expect(base?.value).toBeCloseTo((10 + 1) / 2, 12);
    expect(head?.value).toBeCloseTo((77 / 4 + 0.9) / 2, 12);
    expect(effect?.value).toBeCloseTo((head?.value ?? NaN) / (base?.value ?? NaN), 12);
    expect(effect?.interval?.low).toBeLessThan(1);
    // The mean pass rate of head is 3/4.
    expect(measure(result, 'cost_per_pass_usd')?.head.value).toBeCloseTo((head?.value ?? NaN) / 0.75, 12);
  });

  test('count only where both sides have them, and show no change of a few runs', () => {
    const of = (scenario: string) => ({ cost_usd: scenario === 'y' ? null : 2 });
    const result = compare(
      sweepOf('a', { x: 'ppp', y: 'pp' }, () => ({ cost_usd: 1 })),
      sweepOf('b', { x: 'ppp', y: 'pp' }, of),
    );
    expect(measure(result, 'cost_usd')).toMatchObject({
      base: { value: 1, runs: 3 },
      head: { value: 2, runs: 3 },
      effect: { value: 2, interval: null, p: null },
    });
  });

  test('include the reward that decides, also of a task of several steps', () => {
    const verified = (rewards: Record<string, number>) =>
      gate({ gate_type: 'verifier', name: 'tests', detail: { rewards, exit_code: 0 } });
    const of = (rewards: Record<string, number>[], whole?: number) => () => ({
      metrics: metrics({
        details: [
          ...rewards.map(verified),
          ...(whole === undefined ? [] : [gate({ gate_type: 'step_rewards', detail: { rewards: { reward: whole } } })]),
          gate({ gate_type: 'script', detail: { rewards: { reward: 99 } } }),
        ],
      }),
    });
    const result = compare(
      sweepOf('a', { one: 'pppp', steps: 'pppp' }, (scenario) =>
        (scenario === 'one' ? of([{ style: 0.5, reward: 0.25 }]) : of([{ reward: 1 }, { reward: 0 }], 0.5))(),
      ),
      sweepOf('b', { one: 'pppp', steps: 'pppp' }, of([{ speed: 3, style: 0.75 }])),
    );
    expect(measure(result, 'reward')).toMatchObject({
      ...{ base: { value: 0.375, runs: 8 }, head: { value: 0.75, runs: 8 } },
      effect: { kind: 'difference', value: 0.375 },
    });
    expect(measure(result, 'reward')?.effect?.p).toBeLessThan(0.01);
  });

  test('include scores of all runs that have one, since runs below the threshold failed', () => {
    const of = (_: string, n: number) => ({ judge_score: n / 10 });
    const result = compare(sweepOf('a', { notes: 'ffpp' }, of), sweepOf('b', { notes: 'pppp' }));
    expect(measure(result, 'judge_score')).toMatchObject({
      base: { value: 0.25, runs: 4 },
      head: { value: null, runs: 0 },
    });
  });
});

test('names gates that pass more or less often with their counts, without broken checks', () => {
  const of =
    (first: string, second: string) =>
    (_: string, n: number): Partial<ResultLine> => {
      const status = (letters: string) =>
        letters[n - 1] === 'p' ? ('pass' as const) : letters[n - 1] === 'f' ? ('fail' as const) : ('error' as const);
      return {
        metrics: metrics({
          details: [
            gate({ subject: 'notes.md', status: status(first) }),
            gate({ name: 'tidy', status: status(second) }),
            gate({ name: 'always' }),
          ],
        }),
      };
    };
  const result = compare(
    sweepOf('a', { notes: 'fff' }, of('ppe', 'fff')),
    sweepOf('b', { notes: 'fff' }, of('pff', 'ppp')),
  );
  expect(result.configurations[0]?.gates).toEqual([
    {
      gate: 'file_exists notes.md',
      base: { passed: 2, checked: 2 },
      head: { passed: 1, checked: 3 },
      change: 'worse',
    },
    { gate: 'tidy', base: { passed: 0, checked: 3 }, head: { passed: 3, checked: 3 }, change: 'better' },
  ]);
});

test('doubts a sweep that has not ended, and other prices', () => {
  const head = sweepOf('b', { notes: 'p..' }, undefined, { status: 'open', prices: { m: 1 } });
  const { doubts } = compare(sweepOf('a', { notes: 'p' }), head);
  expect(doubts).toEqual([
    'head has not ended: 2 cells without a result yet',
    expect.stringMatching(/prices in the config file/),
  ]);
});

describe('how steadily configurations pass', () => {
  const started = (_: string, n: number) => ({
    timestamp: `2026-01-01T00:${String(n).padStart(2, '0')}:00.000Z`,
  });
  const [mixed, sudden] = ['pffpfppfpfpffpfppf', 'pppppppppfffffffff'];

  test('is estimated for half of the runs, with an interval', () => {
    const { reliability } = compare(sweepOf('a', { x: 'pppppppppp' }), sweepOf('b', { x: mixed })).total;
    expect(reliability?.k).toBe(5);
    expect(reliability?.base.pass_hat_k.value).toBe(1);
    expect(reliability?.base.pass_hat_k.interval.low).toBeLessThan(0.72 ** 5 + 0.01);
    expect(compare(sweepOf('a', { x: 'p' }), sweepOf('b', { x: 'pp' })).total.reliability).toBeNull();
  });

  test('is in doubt if a side began to fail while it ran, and not if it is flaky all the time', () => {
    const doubts = (letters: string): string[] =>
      compare(sweepOf('a', { x: mixed }, started), sweepOf('b', { x: letters }, started)).doubts;
    expect(doubts(mixed)).toEqual([]);
    expect(doubts(sudden)).toEqual([
      expect.stringMatching(
        /^the pass rate of head fell while it ran: 9 of 9 of the first runs passed, 0 of 9 of the last \(p < 0.0001\)/,
      ),
    ]);
    expect(doubts('ppffp')).toEqual([]);
  });
});

describe('other scenarios like these', () => {
  const outcomes = (runs: readonly string[]): Outcomes =>
    Object.fromEntries(runs.map((one, at) => [`s${at}`, one] as const));
  const before = ['pppppp', 'pppppf', 'pppppp', 'pppffp', 'ppppff', 'pppppp'];
  const now = ['ffffff', 'pppppf', 'pppfff', 'pppffp', 'pppppp', 'fppppp'];

  test('are less certain than these, because the change varies between scenarios', () => {
    const { total } = compare(sweepOf('a', outcomes(before)), sweepOf('b', outcomes(now)));
    expect(total.other_scenarios).toMatchObject({ scenarios: 6 });
    expect(total.other_scenarios?.difference).toBeCloseTo(total.difference ?? NaN, 12);
    const { low = NaN, high = NaN } = total.other_scenarios?.interval ?? {};
    expect(low).toBeLessThan(total.interval?.low ?? NaN);
    expect(high).toBeGreaterThan(total.interval?.high ?? NaN);
  });

  test('are unknown after fewer than six scenarios', () => {
    const { total } = compare(sweepOf('a', outcomes(before.slice(1))), sweepOf('b', outcomes(now.slice(1))));
    expect(total.other_scenarios).toBeNull();
  });
});
