import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphemes, renderTable, terminalText, textWidth, truncate } from '../../../src/lib/format/table.js';

const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;
const anyCell = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.constantFrom('日本語', '👩‍👩‍👧', 'é'))
  .map(terminalText);
const styledCell = fc.oneof(anyCell, anyCell.map(red));

describe('textWidth', () => {
  test.each([
    ['abc', 3],
    [red('abc'), 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['✓', 1],
    ['❤️', 2],
    ['한글', 4],
    ['žluťoučký kůň', 13],
    ['Ελλάδα и Москва', 15],
    ['z\u030c a\u00ad', 3],
    ['', 0],
  ])('%j takes %d columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
  test('counts no further than needed to know that a text is too wide', () => {
    fc.assert(
      fc.property(anyCell, fc.integer({ min: 0, max: 30 }), (text, most) => {
        const [width, counted] = [textWidth(text), textWidth(text, most)];
        expect(counted > most).toBe(width > most);
        if (width <= most) expect(counted).toBe(width);
      }),
    );
  });
});

describe('graphemes', () => {
  test('divides text of any length as if it were divided at once', () => {
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
      fc.string({ unit: 'binary', maxLength: 400, size: 'max' }),
      fc.constantFrom('🇩🇪', '👩‍👩‍👧', 'e\u0301', '한', 'क्षि', '\r\n').map((text) => text.repeat(90)),
      fc.string({
        unit: fc.constantFrom(
          'a',
          'ů',
          'Ж',
          '漢',
          'が',
          'か\u3099',
          '가',
          '가\u11a8',
          '\u0301',
          '…',
          '✓\ufe0f',
          '\u200d',
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.join('');
        const segments = Array.from(whole.segment(text), ({ segment }) => segment);
        expect(Array.from(graphemes(text), ({ segment }) => segment)).toEqual(segments);
      }),
      { numRuns: 50 },
    );
  });

  // Divided at once, the line takes ten minutes.
  test('divides a line of 1 MB, and a character with a million marks', () => {
    expect(textWidth('é\u202e'.repeat(300_000))).toBe(300_000);
    expect(textWidth(`e${'\u0301'.repeat(1_000_000)}`)).toBe(1);
  });
});

describe('truncate', () => {
  test('does not change text that fits', () => {
    expect(truncate('abc', 3)).toBe('abc');
  });
  test('ends with an ellipsis if it was cut', () => {
    expect(truncate('abcdef', 4)).toBe('abc…');
  });
  test('does not show half of a wide character', () => {
    expect(truncate('日本語', 4)).toBe('日…');
  });
  test('ends a colour that is cut', () => {
    expect(truncate(red('abcdef'), 3)).toBe('\x1b[31mab…\x1b[0m');
  });
  test('never exceeds the width and keeps a prefix', () => {
    fc.assert(
      fc.property(anyCell, fc.integer({ min: 0, max: 30 }), (text, width) => {
        const cut = truncate(text, width);
        expect(textWidth(cut)).toBeLessThanOrEqual(width);
        expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true);
      }),
    );
  });
});

describe('renderTable', () => {
  test('aligns columns, with numbers on the right', () => {
    expect(
      renderTable(
        [
          ['a', '1', 'x'],
          ['long', '22', 'y'],
        ],
        { right: [1] },
      ),
    ).toEqual(['a      1  x', 'long  22  y']);
  });
  test('aligns the same with and without colours', () => {
    const [plain, coloured] = renderTable([
      ['ab', 'x'],
      [red('ab'), 'x'],
    ]);
    expect(coloured?.replace(/\x1b\[\d+m/g, '')).toBe(plain);
  });
  test('cuts the widest column first', () => {
    expect(renderTable([['name', 'a very long message']], { width: 14 })).toEqual(['name  a very …']);
  });
  test('never cuts whole columns, and cuts the others first', () => {
    const rows = [['a very long name', '0.22 (-0.01 to 0.48)']];
    expect(renderTable(rows, { width: 30, whole: [1] })).toEqual(['a very …  0.22 (-0.01 to 0.48)']);
    expect(renderTable(rows, { width: 10, whole: [1] })).toEqual(['…  0.22 (-0.01 to 0.48)']);
  });
  test('accepts rows of unequal length and no rows at all', () => {
    expect(renderTable([['a'], ['b', 'c']])).toEqual(['a', 'b  c']);
    expect(renderTable([])).toEqual([]);
  });
  test('never exceeds the width, and keeps one line per row', () => {
    const tables = fc.array(fc.array(styledCell, { maxLength: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(tables, fc.integer({ min: 0, max: 60 }), fc.constantFrom('', '  '), (rows, width, indent) => {
        const lines = renderTable(rows, { width, indent, right: [1] });
        expect(lines).toHaveLength(rows.length);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
  test('starts a column at the same place in every row', () => {
    fc.assert(
      fc.property(fc.array(styledCell, { minLength: 1 }), (cells) => {
        const lines = renderTable(cells.map((cell) => [cell, '|end']));
        const starts = lines.map((line) => textWidth(line.slice(0, line.lastIndexOf('|end'))));
        expect(new Set(starts).size).toBe(1);
      }),
    );
  });
});

describe('terminalText', () => {
  test('removes escape sequences, line breaks and direction changes', () => {
    expect(terminalText('a\x1b[2J\x1b]0;title\x07b\r\nc\td\u202Ee\0')).toBe('ab c de');
  });
  test('gives one line without control characters for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(terminalText(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});
