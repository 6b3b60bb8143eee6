import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocks, code, fence, inline, list, table } from '../../../src/reports/blocks/markdown.js';
import { hostile } from '../hostile.js';
import { readMarkdown, tables } from '../markdown-shape.js';

describe('inline', () => {
  test.each([
    ['a | b', 'a \\| b'],
    ['a\n\n# b', 'a \\# b'],
    ['`rm`', '\\`rm\\`'],
    ['<b>&amp;', '&lt;b>&amp;amp;'],
    ['file_contains _x_', 'file_contains \\_x\\_'],
    ['- item', '\\- item'],
    ['12. item', '12\\. item'],
    ['-0.5', '-0.5'],
    ['[a](b)', '\\[a\\](b)'],
    ['\x1b[31mred\x1b[0m', 'red'],
  ])('%j becomes %j', (text, markdown) => {
    expect(inline(text)).toBe(markdown);
  });
  test('is one line without HTML, an open code span or an unescaped pipe', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markdown = inline(text);
        expect(markdown).not.toMatch(/[\n\r<]|^>/);
        expect(markdown.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[`|*[\]\\~#]/);
        expect(markdown).not.toMatch(/^([-+=]|\d+[.)])(\s|$)|^(--|==)/);
      }),
    );
  });
  test('shows exactly the text: unescaping restores it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        const back = inline(text)
          .replace(/\\([!-/:-@[-`{-~])/g, '$1')
          .replace(/&lt;/g, '<')
          .replace(/&gt;/g, '>')
          .replace(/&amp;/g, '&');
        expect(back).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });
});

describe('code', () => {
  test('delimits a command with backticks by more backticks', () => {
    expect(code('echo `date`')).toBe('`` echo `date` ``');
  });
  test('is one span: the delimiter occurs only at both ends', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const span = code(text);
        fc.pre(span !== '(empty)');
        const marks = /^`+/.exec(span)?.[0] ?? '';
        const runs = span.match(/`+/g)?.filter((run) => run.length === marks.length);
        expect(runs).toHaveLength(2);
        expect(span.endsWith(marks)).toBe(true);
        expect(span).not.toContain('\n');
      }),
    );
  });
});

describe('fence', () => {
  test('is longer than any fence inside', () => {
    expect(fence('````\nx\n````')).toBe('`````\n````\nx\n````\n`````');
  });
  test('cannot be closed by any text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const read = readMarkdown(`${fence(text)}\nafter`);
        expect(read).toMatchObject({ lines: ['after'], open: false });
        expect(read.blocks).toHaveLength(1);
      }),
    );
  });
  test('keeps line breaks and tabs, but no control characters', () => {
    expect(fence('a\r\n\tb\x1b[2J\0')).toBe('```\na\n\tb\uFFFD\n```');
  });
});

test('no text changes the number of columns of a table', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hostile, hostile, hostile)), (rows) => {
      const [read] = tables(
        table(
          ['a', 'b', 'c'],
          rows.map((row) => row.map(inline)),
        ),
      );
      expect(read).toHaveLength(rows.length + 2);
      for (const cells of read ?? []) expect(cells).toHaveLength(3);
    }),
  );
});

test('no text adds an item to a list', () => {
  fc.assert(
    fc.property(fc.array(hostile), (items) => {
      expect(list(items.map(inline)).match(/^\s*([-+*]|\d+[.)])/gm)?.length ?? 0).toBe(items.length);
    }),
  );
});

test('a document leaves out null blocks and ends with one line break', () => {
  expect(blocks(['a', null, 'b'])).toBe('a\n\nb\n');
});
