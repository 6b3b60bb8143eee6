import { describe, expect, test } from 'vitest';
import { textWidth } from '../../../src/lib/format/table.js';
import { renderSweep } from '../../../src/reports/sweep/sweep-text.js';
import { cell, sweep } from '../../model/sample.js';

const options = { color: false, width: 100 };
const failed = {
  outcome: 'fail',
  message: '0/1 gates passed: file_exists: notes.md is missing',
  gates_passed: 0,
} as const;

describe('renderSweep', () => {
  test('shows everything about one passed cell in a few lines', () => {
    expect(renderSweep(sweep([cell()]), options)).toBe(
      [
        '✓ pass  notes  mock/default  1/1  2.1 s  $0.50',
        '',
        '1 cell: 1 passed, cost $0.50',
        'report   /results/20260102-030405-mock-default-notes-1/report.md',
        'sweep    s1',
        'web ui   http://localhost:8233/namespaces/default/workflows/sweep%2Fs1',
        '',
      ].join('\n'),
    );
  });
  test('says which runs were done again', () => {
    const again = { runs: 3, lost: 2, cost_usd: 0.5, cost_unknown: 2 };
    const text = renderSweep(sweep([cell({ earlier_runs: again }), cell()]), options);
    expect(text).toContain('cost at least $1.50 (n/a for 2), 3 runs done again (2 lost with their hosts)');
    const one = { runs: 1, lost: 1, cost_usd: null, cost_unknown: 1 };
    expect(renderSweep(sweep([cell({ earlier_runs: one })]), options)).toContain(
      ', 1 run done again (lost with its host)',
    );
  });
  test('gives the reason and the report of a cell that did not pass', () => {
    const text = renderSweep(sweep([cell(), cell({ ...failed, results_dir: '/results/b' })]), options);
    expect(text).toContain(`✗ fail  ${failed.message}\n  notes mock/default  /results/b/report.md\n`);
    expect(text).toContain('2 cells: 1 passed, 1 failed');
  });
  test('ends with the commands that show why a run did not pass, if one has not', () => {
    const text = renderSweep(sweep([cell(), cell({ ...failed, results_dir: '/results/b' })]), options);
    expect(text).toMatch(/\nnext {5}llm-tool-test show b\n {9}llm-tool-test view\n$/);
    for (const none of [
      cell(),
      cell({ outcome: null, results_dir: null }),
      cell({ outcome: 'error', results_dir: null }),
    ])
      expect(renderSweep(sweep([none]), options)).not.toContain('next');
  });
  test('shows paths as short as they can be, each on its own line if a row would be too long', () => {
    const cells = [cell({ ...failed, results_dir: '/here/results/a' })];
    const short = { ...options, showPath: (path: string) => path.replace('/here/', '') };
    expect(renderSweep(sweep(cells), short)).toContain('\n  notes mock/default  results/a/report.md\n');
    const narrow = renderSweep(sweep(cells), { ...short, width: 30 });
    expect(narrow).toContain('\n  notes mock/default\n    results/a/report.md\n');
    const narrower = renderSweep(sweep(cells), { ...short, width: 20 });
    expect(narrower).toContain('\n  notes mock/default\n    results/a\n');
    expect(renderSweep(sweep([cell({ results_dir: '/here/results/a' })]), short)).toContain(
      'report   results/a/report.md\n',
    );
  });
  test('shows the judge score if there is one', () => {
    const judged = cell({ judge_score: 0.815, scenario: 'other' });
    const text = renderSweep(sweep([judged, cell()]), options);
    expect(text).toMatch(/other +mock\/default +1\/1 +judge 0\.8[12] /);
    expect(text).toMatch(/notes +mock\/default +1\/1 +2\.1 s/);
    expect(renderSweep(sweep([cell()]), options)).not.toContain('judge');
  });
  test('shows repetitions and variants only where they differ', () => {
    const plain = renderSweep(sweep([cell({ variant: 'terse' })]), options);
    expect(plain).not.toContain('#1');
    expect(plain).not.toContain('terse');
    const text = renderSweep(sweep([cell({ variant: 'terse' }), cell({ repetition: 2 })]), options);
    expect(text).toMatch(/notes {2}terse +mock\/default +#1/);
    expect(text).toMatch(/notes {2}default +mock\/default +#2/);
  });
  test('shows a reason that many cells share only once', () => {
    const cells = Array.from({ length: 60 }, (_, at) =>
      cell({
        repetition: at + 1,
        outcome: 'error',
        message: 'no API key',
        gates_total: null,
        gates_passed: null,
      }),
    );
    const text = renderSweep(sweep(cells), options);
    expect(text.match(/no API key/g)).toHaveLength(1);
    expect(text).toContain('60 cells: 60 errors');
    expect(text).toContain('results  /results\n');
  });
  test('has a row for each of 60 cells, and does not list the reports of passed ones', () => {
    const text = renderSweep(sweep(Array.from({ length: 60 }, (_, at) => cell({ repetition: at + 1 }))), options);
    expect(text.match(/^✓ pass/gm)).toHaveLength(60);
    expect(text).not.toContain('report.md');
    expect(text.split('\n').length).toBeLessThan(68);
  });
  test('shows n/a for an unknown cost, and a lower bound for a sum that contains one', () => {
    expect(renderSweep(sweep([cell({ cost_usd: null })]), options)).toContain('cost n/a');
    const mixed = renderSweep(sweep([cell({ cost_usd: null }), cell()]), options);
    expect(mixed).toContain('cost at least $0.50 (n/a for 1)');
  });
  test('marks reused results and does not count their cost as spent', () => {
    const text = renderSweep(sweep([cell({ cached: true })]), options);
    expect(text).toMatch(/\$0\.50 {2}cached\n/);
    expect(text).toContain('1 cell: 1 passed, 1 cached, cost $0.00');
  });
  test('says that a paused sweep is not finished', () => {
    const unfinished = cell({
      outcome: null,
      message: null,
      gates_passed: null,
      gates_total: null,
      cost_usd: null,
      duration_secs: null,
      attempts: null,
      results_dir: null,
    });
    const text = renderSweep(sweep([cell(), unfinished], { status: 'paused' }), options);
    expect(text).toContain('paused, 2 cells: 1 passed, 1 not finished, cost $0.50');
    expect(text).toMatch(/^· waiting {2}notes +mock\/default$/m);
  });
  test('keeps rows within the width and escape sequences from the terminal', () => {
    const text = renderSweep(sweep([cell({ scenario: `\x1b[2J${'long-name'.repeat(20)}` })]), {
      color: false,
      width: 60,
    });
    expect(textWidth(text.split('\n')[0] ?? '')).toBeLessThanOrEqual(60);
    expect(text).not.toContain('\x1b');
  });
  test('lists what got worse once for each configuration, and at most five lines', () => {
    const regressions = [{ kind: 'gate' as const, message: 'gate newly failing: a', since: 'x', runs: 30 }];
    const cells = [1, 2, 3].map((repetition) => cell({ repetition, regressions: repetition < 3 ? regressions : [] }));
    expect(renderSweep(sweep(cells), options)).toMatch(
      /\nworse than in earlier runs; compare tests it\n {2}notes mock\/default +gate newly failing: a +2 of 3 runs\n\n/,
    );
    const many = Array.from({ length: 42 }, (_, at) =>
      cell({ scenario: `s${at % 14}`, repetition: 1 + Math.floor(at / 14), regressions }),
    );
    const text = renderSweep(sweep(many), options);
    expect(text.match(/newly failing/g)).toHaveLength(5);
    expect(text).toContain('  … and 9 more\n');
  });
  test('does not list what chance makes worse in most sweeps', () => {
    const regressions = [{ kind: 'gate' as const, message: 'gate newly failing: a', since: 'x' }];
    const cells = Array.from({ length: 20 }, (_, at) =>
      cell({ scenario: `s${at}`, regressions: at < 2 ? regressions : [] }),
    );
    expect(renderSweep(sweep(cells), options)).not.toContain('worse than');
  });
  test('accepts a sweep without cells', () => {
    expect(renderSweep(sweep([]), options)).toContain('0 cells');
  });
});
