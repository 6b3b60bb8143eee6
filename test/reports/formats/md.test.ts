import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { md } from '../../../src/reports/formats/md.js';
import { hostile } from '../hostile.js';
import { headings, readMarkdown, tables } from '../markdown-shape.js';
import { failed, interrupted, reported, reportOf, unread, waiting } from './sample.js';

const render = (...args: Parameters<typeof reportOf>): string => md.render(reportOf(...args));

describe('the report as markdown', () => {
  const text = render([
    reported({ repetition: 1 }),
    failed({ repetition: 2 }),
    reported({ agent: 'ours', model: 'fast', repetition: 1, cost_usd: 0.25 }),
    unread({ agent: 'ours', model: 'fast', repetition: 2, outcome: 'error', message: 'no key' }),
  ]);
  const [matrix = [], failures = [], runs = []] = tables(text);

  test('begins with the outcome, then totals, cost and time', () => {
    expect(text).toMatch(
      /^## ❌ llm-tool-test: 2 of 4 passed\n\n4 cells: 2 passed, 1 failed, 1 error, cost \$1\.75\. Runs took 8\.4 s, tokens n\/a in and 21 out\. Sweep s1\.\n/,
    );
    expect(render([reported()])).toMatch(/^## ✅ llm-tool-test: 1 of 1 passed\n/);
  });

  test('has a table of passed repetitions by scenario and agent, with rates and costs below', () => {
    expect(matrix).toEqual([
      ['', 'mock/default', 'ours/fast'],
      ['---', '---', '---'],
      ['notes', '❌ 1/2', '✅ 1/1, 1 error'],
      ['_pass rate_', '50%', '100%'],
      ['_cost_', '$1.00', '$0.75'],
    ]);
  });

  test('names the first failed gate of each failure, and its message', () => {
    expect(failures.slice(2)).toEqual([
      [
        ...['❌ fail', 'notes', 'mock/default', '\\#2', 'file_exists notes.md', 'notes.md does not exist'],
        '[report](20260102-030405-mock-default-notes-1/report.md)',
      ],
      ['⚠️ error', 'notes', 'ours/fast', '\\#2', '', 'no key', ''],
    ]);
  });

  test('lists every run with its figures and its report', () => {
    expect(runs.slice(2).map((row) => row?.slice(4))).toEqual([
      ['1/1', '', '2.1 s', '$0.50', '[report](20260102-030405-mock-default-notes-1/report.md)'],
      ['1/2', '', '2.1 s', '$0.50', '[report](20260102-030405-mock-default-notes-1/report.md)'],
      ['1/1', '', '2.1 s', '$0.25', '[report](20260102-030405-mock-default-notes-1/report.md)'],
      ['1/1', '', '2.1 s', '$0.50', ''],
    ]);
  });

  test('says that a sweep has not ended, and which runs are gone', () => {
    const open = render([reported(), unread({}, 'its folder is gone'), waiting()], { status: 'running' });
    expect(open).toMatch(/^## ⏳ llm-tool-test: 2 of 3 passed\n/);
    expect(open).toContain('> The sweep has not ended');
    expect(open).toContain('> A run has been deleted or cannot be read');
    expect(tables(open)[1]?.map((row) => row?.at(-1))).toContain('its folder is gone');
    expect(text).not.toMatch(/has not ended|removed/);
  });

  test('reports regressions, except those of reused results', () => {
    const regressions = [{ kind: 'cost' as const, message: 'cost up 60 %', since: 'x', runs: 40 }];
    expect(render([reported({ regressions })])).toContain('- notes mock/default: cost up 60 %');
    expect(render([reported({ regressions, cached: true })])).not.toContain('cost up');
  });

  test('links lead from the report to the run, for any name of its folder', () => {
    const there = { ...reportOf([reported({ results_dir: '/a b/ru(n) é' })]), base: '/x/y' };
    expect(md.render(there)).toContain('[report](../../a%20b/ru%28n%29%20%C3%A9/report.md)');
  });
});

test('no text from outside changes the structure of the report', () => {
  const of = (text: string): string => {
    const regressions = [{ kind: 'cost' as const, message: text, since: text, runs: 400 }];
    const one = failed({ scenario: text, agent: text, model: text, variant: text, regressions }, text);
    return render(
      [one, unread({ variant: 'b', results_dir: `/${text}` }, text), reported({ results_dir: `/${text}` })],
      { sweep: text },
    );
  };
  const shape = (markdown: string) => ({
    headings: headings(markdown).map((line) => /^#+/.exec(line)?.[0]),
    tables: tables(markdown).map((rows) => rows.map((cells) => cells?.length ?? 'parsers disagree')),
    open: readMarkdown(markdown).open,
    blocks: readMarkdown(markdown).blocks.length,
    html: readMarkdown(markdown).lines.filter((line) => line.startsWith('<')),
    commands: markdown.split('\n').filter((line) => line.trimStart().startsWith('::')),
  });
  const expected = shape(of('xplain'));
  expect(expected.html).toEqual(['<details>', '<summary>All runs: 3</summary>', '</details>']);
  fc.assert(
    fc.property(hostile, (text) => {
      expect(shape(of(`x${text}`))).toEqual(expected);
    }),
  );
});

test('shows partly known tokens and costs as lower bounds', () => {
  const text = render([interrupted()]);
  expect(text).toContain('tokens at least 1,200 in and 350 out');
  expect(tables(text).flat(2)).toContain('>$0.50');
});
