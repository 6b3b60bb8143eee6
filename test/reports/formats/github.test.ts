import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { github } from '../../../src/reports/formats/github.js';
import { md } from '../../../src/reports/formats/md.js';
import { hostile } from '../hostile.js';
import { readMarkdown, tables } from '../markdown-shape.js';
import { failed, reported, reportOf, unread } from './sample.js';

const MIB = 1024 * 1024;
const lines = (...args: Parameters<typeof reportOf>): string[] => github.log?.lines(reportOf(...args)) ?? [];

describe('the summary of a step', () => {
  test('is the markdown report without links to files that its page cannot reach', () => {
    const report = reportOf([reported(), failed()]);
    expect(github.render(report)).not.toContain('](');
    expect(tables(github.render(report)).map((table) => table.length)).toEqual(
      tables(md.render(report)).map((table) => table.length),
    );
    expect(github.render(report)).toContain('run-1');
  });

  test('links each run to its page of the HTML report, if that has an address', () => {
    const report = { ...reportOf([reported(), failed()]), page: 'https://example.com/report.html' };
    expect(github.render(report)).toContain('[report](https://example.com/report.html#/runs/run-1)');
    expect(github.log?.lines(report)).toEqual([
      expect.stringMatching(/notes\.md does not exist%0Ahttps:\/\/example\.com\/report\.html#\/runs\/run-1$/),
    ]);
  });

  test.each([400, 4000])('of %d cells fits into 1 MiB, with complete tables that say what is left out', (count) => {
    const cells = Array.from({ length: count }, (_, at) =>
      failed({ scenario: `é${at}`.padEnd(200, 'é'), repetition: 2 }, 'ü'.repeat(300)),
    );
    const text = github.render(reportOf(cells));
    expect(Buffer.byteLength(text)).toBeLessThan(MIB);
    expect(text.endsWith('</details>\n')).toBe(true);
    const found = tables(text);
    expect(found.map((rows) => new Set(rows.map((row) => row?.length)).size)).toEqual(found.map(() => 1));
    const rows = (found[1]?.length ?? 2) - 2;
    const left = count - rows;
    expect(text.includes('more not shown')).toBe(left > 0);
    if (left > 0) expect(text.split(`_${left} more not shown._`)).toHaveLength(4);
    expect(rows).toBeGreaterThan(count === 400 ? 399 : 200);
  });

  test('is appended to the existing summary of the step', () => {
    expect(github.appends).toBe(true);
  });
});

describe('the errors of a workflow', () => {
  test('name each cell that failed or ended with an error', () => {
    const cells = [
      reported(),
      failed({ repetition: 2 }),
      unread({ repetition: 3, outcome: 'error', message: 'no key' }),
      unread({ repetition: 4, outcome: 'cancelled', message: 'cancelled' }),
    ];
    expect(lines(cells)).toEqual([
      '::error title=fail%3A notes mock/default #2::1/2 gates passed: notes.md does not exist',
      '::error title=error%3A notes mock/default #3::no key',
    ]);
  });

  test('are limited to the number that GitHub shows, followed by the number of the others', () => {
    expect(lines(Array.from({ length: 10 }, () => failed()))).toHaveLength(10);
    const many = lines(Array.from({ length: 12 }, () => failed()));
    expect(many).toHaveLength(11);
    expect(many.at(-1)).toBe('::notice::2 more did not pass; see the summary');
  });

  test('are escaped by the rules of the runner', () => {
    const [line] = lines([failed({ scenario: 'a,b:c%', message: '50%\n::add-path::/tmp' })]);
    expect(line).toBe('::error title=fail%3A a%2Cb%3Ac%25 mock/default::50%25%0A::add-path::/tmp');
  });

  test('are one line each, and the runner reads their messages unchanged', () => {
    const unescape = (text: string): string =>
      text
        .replaceAll('%0A', '\n')
        .replaceAll('%0D', '\r')
        .replaceAll('%3A', ':')
        .replaceAll('%2C', ',')
        .replaceAll('%25', '%');
    fc.assert(
      fc.property(hostile, (text) => {
        const found = lines([failed({ scenario: text, message: text })]);
        expect(found).toHaveLength(1);
        expect(found[0]).toMatch(/^::error title=[^\r\n:,]*::[^\r\n]*$/);
      }),
    );
    const [line = ''] = lines([failed({ message: 'a\tb: c, 100%\nd' })]);
    expect(unescape(line.split('::')[2] ?? '')).toBe('a\tb: c, 100%\nd');
  });
});

test('accepts a document without cells', () => {
  expect(readMarkdown(github.render(reportOf([]))).open).toBe(false);
});
