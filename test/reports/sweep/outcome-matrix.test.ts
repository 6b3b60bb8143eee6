import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SweepCell } from '../../../src/decide/documents/sweep-document.js';
import { textWidth } from '../../../src/lib/format/table.js';
import { painted } from '../../../src/reports/blocks/terminal.js';
import { toMatrix } from '../../../src/reports/sweep/matrix.js';
import { renderMatrix } from '../../../src/reports/sweep/outcome-matrix.js';
import { renderSweep } from '../../../src/reports/sweep/sweep-text.js';
import { cell, sweep } from '../../model/sample.js';

const render = (cells: SweepCell[], width = 100, color = false): string =>
  painted(renderMatrix(toMatrix(cells), width).join('\n'), { color }).slice(0, -1);
const repeated = (outcomes: SweepCell['outcome'][], change: Partial<SweepCell> = {}): SweepCell[] =>
  outcomes.map((outcome, at) => cell({ ...change, outcome, repetition: at + 1 }));

describe('the matrix of outcomes', () => {
  test('has a row for each scenario and a column for each agent and model', () => {
    const cells = [
      cell({ scenario: 'add', agent: 'one', model: 'fast' }),
      cell({ scenario: 'add', agent: 'two', model: 'big', outcome: 'fail' }),
      cell({ scenario: 'remove', agent: 'one', model: 'fast', outcome: 'error', cost_usd: null }),
      cell({ scenario: 'remove', agent: 'two', model: 'big', outcome: null, cost_usd: null }),
    ];
    expect(render(cells).split('\n')).toEqual([
      '           one      two',
      '           fast     big',
      'add        ✓ pass   ✗ fail',
      'remove     ! error  · waiting',
      'pass rate  100%     0%',
      'cost       >$0.50   $0.50',
    ]);
  });
  test.each<[string, SweepCell['outcome'][], string]>([
    ['all passed', ['pass', 'pass', 'pass'], '✓ 3/3'],
    ['some failed', ['pass', 'fail', 'fail'], '✗ 1/3'],
    ['all failed', ['fail', 'fail'], '✗ 0/2'],
    ['none could be tested', ['error', 'error'], '! error ×2'],
    ['none has run', [null, null], '· waiting ×2'],
    ['some ended with an error', ['pass', 'error', 'error'], '✓ 1/1 !2'],
    ['some have yet to run', ['pass', null], '✓ 1/1 ·1'],
    ['some were cancelled', ['fail', 'cancelled'], '✗ 0/1 -1'],
    ['none tested, for several reasons', ['error', null, 'cancelled'], '! 0/0 !1 -1 ·1'],
  ])('shows repetitions of which %s', (_name, outcomes, text) => {
    const lines = render([...repeated(outcomes, { scenario: 'a' }), cell({ scenario: 'b' })]).split('\n');
    expect(lines.find((line) => line.startsWith('a '))).toMatch(new RegExp(`${text.replaceAll(/[/!]/g, '\\$&')}$`));
  });
  test('leaves entries empty that were not planned', () => {
    const lines = render([cell({ scenario: 'a', agent: 'x' }), cell({ scenario: 'b', agent: 'y' })]).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^ +x +y$/),
      expect.stringMatching(/^a +✓ pass$/),
      expect.stringMatching(/^b {18,}✓ pass$/),
    ]);
  });
  test('marks reused results, which cost nothing this time', () => {
    const text = render([cell({ cached: true }), cell({ repetition: 2 }), cell({ scenario: 'b', cached: true })]);
    expect(text).toMatch(/notes +✓ 2\/2 1 cached\n/);
    expect(text).toMatch(/b +✓ pass cached\n/);
    expect(text).toMatch(/cost +\$0\.50/);
  });
  test('shows mean scores if there are any, and n/a for a column without', () => {
    const cells = [
      ...[0.5, 1].map((composite_score, at) => cell({ composite_score, judge_score: 0.25, repetition: at + 1 })),
      cell({ agent: 'other' }),
    ];
    const text = render(cells);
    expect(text).toMatch(/✓ 2\/2 0\.75/);
    expect(text).toMatch(/judge +0\.25 +n\/a/);
    expect(text).toMatch(/score +0\.75 +n\/a/);
    expect(render([cell()])).not.toMatch(/judge|score/);
  });
  test('never rounds a pass rate to 0 % or 100 %', () => {
    const many = [...Array<'pass'>(399).fill('pass'), 'fail' as const];
    expect(render(repeated(many))).toMatch(/pass rate +99%/);
    expect(render(repeated(many.map((outcome) => (outcome === 'pass' ? 'fail' : 'pass'))))).toMatch(/pass rate +1%/);
  });
  test('names variants if there are several', () => {
    const text = render([cell({ variant: 'terse' }), cell({ variant: 'wordy' })]);
    expect(text).toMatch(/notes terse +✓/);
    expect(text).toMatch(/notes wordy +✓/);
  });
  test('continues columns below that do not fit the width of the terminal', () => {
    const agents = fc.array(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(agents, fc.integer({ min: 20, max: 200 }), (names, width) => {
        const unique = [...new Set(names)];
        const text = render(
          unique.map((agent) => cell({ agent })),
          width,
        );
        for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
        expect(text.match(/✓ pass/g) ?? []).toHaveLength(unique.length);
      }),
      { numRuns: 200 },
    );
  });
  test('uses colours only if allowed, and keeps escape sequences from the terminal', () => {
    const hostile = [cell({ scenario: '\x1b[2Jx', agent: 'a\nb', model: '\x1b]0;t\x07' })];
    expect(render(hostile)).not.toMatch(/\x1b|a\nb/);
    expect(render([cell()], 100, true)).toContain('\x1b[32m✓ pass\x1b[39m');
  });
});

describe('a sweep', () => {
  const cells = ['a', 'b', 'c'].flatMap((scenario) =>
    ['x', 'y'].map((agent) => cell({ scenario, agent, outcome: scenario === 'b' ? 'fail' : 'pass', message: 'why' })),
  );
  test('of many cells is shown as a matrix, followed by cells that did not pass, totals and paths', () => {
    const text = renderSweep(sweep(cells), { color: false, width: 100 });
    expect(text).toMatch(/^ +x +y\na +✓ pass +✓ pass\n/);
    expect(text).not.toMatch(/1\/1/);
    expect(text).toMatch(/✗ fail {2}why\n {2}b x\/default {2}\S+report\.md\n {2}b y/);
    expect(text).toMatch(/6 cells: 4 passed, 2 failed/);
  });
  test('of few cells is shown as a matrix and a list, or only as a list if a matrix adds nothing', () => {
    const few = renderSweep(sweep(cells.slice(0, 4)), { color: false, width: 100 });
    expect(few).toMatch(/pass rate +50% +50%/);
    expect(few).toMatch(/✓ pass {2}a {2}x\/default {2}1\/1/);
    for (const flat of [cells.slice(0, 2), repeated(Array<'pass'>(9).fill('pass'))])
      expect(renderSweep(sweep(flat), { color: false, width: 100 })).not.toContain('pass rate');
  });
});
