import { describe, expect, test } from 'vitest';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import type { Comparison } from '../../../src/decide/comparison/document.js';
import { points, pText } from '../../../src/lib/format/estimates.js';
import { textWidth } from '../../../src/lib/format/table.js';
import { renderComparison } from '../../../src/reports/comparison/comparison.js';
import { sweepOf } from '../../decide/comparison/sample.js';
import { gate, metrics } from '../../model/sample.js';

const options = {
  color: false,
  width: 80,
  now: Date.parse('2026-01-01T02:00:00.000Z'),
  command: (words: string) => `tool ${words}`,
};
const render = (comparison: Comparison): string => renderComparison(comparison, options);
const compare = (base: SweepToCompare, head: SweepToCompare): string => render(compareSweeps(base, head, new Map()));

const withGate = (status: 'pass' | 'fail') => () => ({
  metrics: metrics({ details: [gate({ status, subject: 'notes.md' })] }),
});

describe('renderComparison', () => {
  test('names up to three configurations that differ from the total, and says how many more there are', () => {
    const alone = (count: number): string => {
      const names = Array.from({ length: count }, (_, at) => `worse${at}`);
      const outcomes = (worse: string, rest: string) =>
        Object.fromEntries([...names.map((name) => [name, worse] as const), ['rest', rest] as const]);
      return compare(
        sweepOf('old', outcomes('pppppppp', 'f'.repeat(8 * count))),
        sweepOf('new', outcomes('ffffffff', 'p'.repeat(8 * count))),
      );
    };
    expect(alone(2)).not.toContain('see below'); // with `rest`, which got better
    expect(alone(4)).toContain('  and 2 more, see below');
  });

  test('says that the pass rate has not fallen only if the interval says so, too', () => {
    const within = (head: string) =>
      render(
        compareSweeps(sweepOf('old', { x: 'fffffff' }), sweepOf('new', { x: head }), new Map(), {
          alpha: 0.05,
          margin: 0.1,
        }),
      );
    expect(within('pppppfffffffpf')).toMatch(/^\? no difference shown[^]*\n {2}not worse by 10 points or more\n/);
    expect(within('pppppppfff')).toMatch(
      /^✓ better[^]*\n {2}not worse by 10 points or more: the pass rate has not fallen\n/,
    );
  });

  test('explains what to expect of other scenarios, if there are six of them', () => {
    const explained = (scenarios: number): string => {
      const all = (runs: string) =>
        Object.fromEntries(Array.from({ length: scenarios }, (_, at) => [`s${at}`, runs] as const));
      const comparison = compareSweeps(
        sweepOf('old', all('ppppp')),
        sweepOf('new', { ...all('ppppp'), s0: 'fffff', s1: 'ppfff' }),
        new Map(),
      );
      return renderComparison(comparison, { ...options, explain: true });
    };
    expect(explained(6)).toMatch(
      /\n {2}for scenarios like these: between -\d+ and \+\d+ points\n {4}the numbers above are about these 6 scenarios/,
    );
    expect(explained(5)).not.toContain('scenarios like these');
  });

  test('says which versions of the agents ran', () => {
    const of = (version?: string) =>
      sweepOf('s', { notes: 'pp', more: 'pp' }, () => (version === undefined ? {} : { agent_version: version }));
    expect(compare(of('1.0'), of('1.0'))).toMatch(/\nagent +version\nmock +1\.0\n\n/);
    expect(compare(of('1.0'), of('2.0'))).toMatch(/\nmock +1\.0 → 2\.0\n\n/);
    expect(compare(of(), of('2.0'))).toMatch(/\nmock +n\/a → 2\.0\n\n/);
    expect(compare(of(), of())).not.toContain('version');
  });

  test('gives the answer in two lines, then the numbers, gates and changes', () => {
    const base = sweepOf('old', { notes: 'pppppp' }, withGate('pass'));
    const head = sweepOf('new', { notes: 'pfffffe' }, withGate('fail'), {
      agents: { mock: { args: [] } },
    });
    expect(compare(base, head)).toBe(
      [
        '✗ worse: 6 of 6 passed before, 1 of 6 now',
        '  the pass rate fell by 83 points (between 26 and 97)',
        '',
        'base  old  2h ago  6 compared',
        'head  new  2h ago  6 compared, 1 error left out',
        '',
        '       base    96 %    head  96 %  change       p',
        'notes   6/6  59-100  !1 1/6  3-58     -83  0.0063  worse',
        '!: error',
        '',
        '                 base         head        change    96 %    p',
        'duration, mean  1.5 s  of 6  1.5 s  of 6     0 %  0 to 0  1.0',
        'All tested runs. Among several numbers, one may differ by chance.',
        '',
        'gates that fail more often',
        '  6/6 → 0/6  file_exists notes.md',
        '',
        'changes between them',
        '  ?  the config of the agent',
        '  ? can cause a difference by itself, regardless of the tool',
        '',
        '! error rates differ: 1 of 7 cells in head, 0 of 6 in base ended with an error; if errors depend on how a run goes, the remaining runs are not a fair sample',
        '',
        'Runs and their reports: tool show new',
        '',
      ].join('\n'),
    );
  });

  test('asks for no more runs once the loss is shown to be within the margin', () => {
    const runs = { notes: `${'p'.repeat(90)}${'f'.repeat(10)}` };
    const of = (margin: number): string =>
      render(compareSweeps(sweepOf('a', runs), sweepOf('b', runs), new Map(), { alpha: 0.05, margin }));
    expect(of(0.1)).toContain('\n  equivalent: neither worse nor better by 10 points or more\n');
    expect(of(0.1)).not.toMatch(/more runs|does not prove|until-clear/);
    expect(of(0.02)).toMatch(/\n {2}not shown to be within 2 points: it may be up to \d+ points worse\n/);
    expect(of(0.02)).toMatch(/\n\d+ more runs per configuration and side show 2 points/);
  });

  test('says that there are too few runs to show a difference, and how many are needed', () => {
    const text = compare(sweepOf('a', { notes: 'pp' }), sweepOf('b', { notes: 'ff' }));
    expect(text).toMatch(
      /^\? too few runs to show any difference: 2 of 2 passed before, 0 of 2 now\n {2}even the largest difference could be chance \(p = 0\.13, above 0\.04\)\n/,
    );
    expect(text).toMatch(
      /\n\d+ more runs per configuration and side show 20 points in 4 of 5 cases\.\nTo compare them is look 1 of this question, tested at 0\.04\.\n/,
    );
    expect(text).toContain('tool run --until-clear --base a');
  });

  test('does not claim equality when no difference is shown', () => {
    const text = compare(sweepOf('a', { notes: 'pppppp' }), sweepOf('b', { notes: 'pppppf' }));
    expect(text).toMatch(
      /^\? no difference shown: 6 of 6 passed before, 5 of 6 now\n {2}the true change may be anything from 60 points down to 31 points up\n/,
    );
    expect(text).toMatch(/does not prove that they are equal/);
    expect(text).toMatch(/\nTo compare them is look 2 of this question, tested at 0\.01\.\n/);
  });

  test('says why there is nothing to compare', () => {
    const base = sweepOf('a', { notes: 'pp' });
    const reused = sweepOf('b', { notes: 'pp' }, (_, n) => ({ cached_from: `a-notes-${n}` }));
    expect(compare(base, reused)).toMatch(
      /^- nothing to compare\n {2}one sweep reused the runs of the other[^]*0 compared, 2 shared runs left out[^]*the same runs\n[^]*run --no-cache/,
    );
    expect(compare(base, sweepOf('b', { other: 'pp' }))).toMatch(
      /^- nothing to compare\n {2}no configuration has runs[^]*1 only in base, not compared: notes mock\/default\n1 only in head/,
    );
  });

  test('says that a sweep has not ended', () => {
    const head = sweepOf('b', { notes: 'pp..' }, undefined, { status: 'open' });
    const text = compare(sweepOf('a', { notes: 'pp' }), head);
    expect(text).toMatch(/head {2}b {2}2h ago {2}open, 2 compared, 2 not finished/);
    expect(text).toMatch(/! head has not ended: 2 cells without a result yet/);
  });

  test('names configurations that differ from the total, even if the total shows no difference', () => {
    const text = compare(
      sweepOf('a', { bad: 'pppppppp', good: 'ffffffff' }),
      sweepOf('b', { bad: 'ffffffff', good: 'pppppppp' }),
    );
    expect(text).toMatch(/^✗ worse in 1 of 2 configurations; in total, no difference shown: 50 % passed/);
    expect(text).toMatch(/\n {2}✗ worse on its own: bad\n {2}✓ better on its own: good\n/);
    expect(text).toMatch(/p: adjusted for 2 configurations/);
    const many = (bad: string, good: string) => ({
      a: bad,
      b: bad,
      c: bad,
      d: bad,
      e: good,
      f: good,
      g: good,
      h: good,
    });
    const [all, none] = ['pppppppppppp', 'ffffffffffff'];
    expect(compare(sweepOf('a', many(all, none)), sweepOf('b', many(none, all)))).toMatch(
      /^✗ worse in 4 of 8 configurations; in total, no difference shown[^]*on its own: a\n.*: b\n.*: c\n {2}and 5 more, see below\n\n/,
    );
  });

  test('shortens the place of a change before the change itself', () => {
    const name = 'a scenario with a name that goes on and on and on';
    const sweep = (id: string, target_path: string) =>
      sweepOf(id, { [name]: 'pp', other: 'pp' }, undefined, {
        scenarios: new Map([[name, { target_path }]]),
      });
    const text = compare(sweep('a', '/old/bin'), sweep('b', '/new/bin'));
    expect(text).toMatch(/the path of the target: \/old\/bin → \/new\/bin {2}a scenario with a name …/);
  });

  test('fits 80 columns with any names, and keeps their escape sequences from the terminal', () => {
    const long = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`${'a scenario with a long name '.repeat(3)}\x1b[31m${at}`, 'pppp']),
    );
    const scenarios = new Map(Object.keys(long).map((name, at) => [name, { task: at }]));
    const text = compare(
      sweepOf('a', long, withGate('pass')),
      sweepOf('b', { ...long, more: 'p' }, withGate('fail'), { scenarios }),
    );
    expect(text.split('\n').filter((line) => textWidth(line) > 80)).toEqual([]);
    expect(text).not.toContain('\x1b');
  });
});

test('pText has two digits, or as many as are needed to tell p from the significance level', () => {
  expect([1, 0.1, 0.0152, 0.00001, 0.0496, 0.0504, 0.05].map((p) => pText(p, 0.05))).toEqual([
    '1.0',
    '0.10',
    '0.015',
    '<0.0001',
    '0.0496',
    '0.0504',
    '0.050',
  ]);
});

test('points have a sign, but no negative zero', () => {
  expect([0.256, -0.5, 0, -0.001].map(points)).toEqual(['+26', '-50', '0', '0']);
});
